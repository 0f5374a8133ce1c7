"""A client on a pipe to a server in this process."""

import json
import os
from pathlib import Path
from typing import Any

from tests.doors.mcp.desk import Desk
from webseam.composition.doors.mcp.stdio import BackgroundLoop, StdioServer, StdioWriter
from webseam.testing import FakeBackend


class Client:
    """The other end of a pipe to a server in this process."""

    def __init__(self, folder: Path, backend: FakeBackend | None = None) -> None:
        self.desk = Desk(folder, backend)
        read, write = os.pipe()
        self._answers = os.fdopen(read, "rb")
        self.wire = StdioWriter(write)
        self.background = BackgroundLoop()
        self.server = StdioServer(self.desk.server, self.wire, self.background)
        self._write = write

    def send(self, method: str, known: object = None, **params: object) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.take(message if known is None else {**message, "id": known})

    def take(self, message: object) -> None:
        self.server.handle_line(json.dumps(message).encode() + b"\n")

    def hear(self) -> Any:  # noqa: ANN401  a message, or a batch of them
        return json.loads(self._answers.readline())

    def leave(self) -> None:
        """Read nothing more."""
        self._answers.close()

    def close(self) -> None:
        self.server.cancel_requests()
        self.leave()
        os.close(self._write)
