"""A server on this machine that answers whoever asks, from a thread: for callers of any kind."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import msgspec

EVENTS = "text/event-stream"


class Asked(NamedTuple):
    """A request; ``body`` is its JSON, and empty where it has none."""

    path: str
    key: str | None
    body: dict[str, Any]


class Reply(NamedTuple):
    """What is answered: bytes as they are, anything else as JSON."""

    content: object
    kind: str = "application/json"
    status: int = 200


@contextmanager
def answering(answer: Callable[[Asked], Reply]) -> Iterator[str]:
    """Serve until the end of the block; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = msgspec.json.decode(sent or b"{}")
            reply = answer(Asked(self.path, self.headers.get("authorization"), body))
            plain = reply.content
            content = plain if isinstance(plain, bytes) else msgspec.json.encode(plain)
            self.send_response(reply.status)
            self.send_header("content-type", reply.kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
