"""Recorded calls in a file of JSON lines, which can be checked in with tests."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...ports.errors import WebError
from ...ports.middleware import CallFailed

MAX_RECORDING_BYTES = 256 * 1024 * 1024


class Recording(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call: its tool and arguments, and its result or failure."""

    tool: str
    args: Mapping[str, object]
    result: object = None
    failure: WebError | None = None

    @staticmethod
    def key_of(tool: str, args: Mapping[str, object]) -> bytes:
        """Return the identity of a call: the tool and its arguments, in any order."""
        return msgspec.json.encode([tool, dict(args)], order="deterministic", enc_hook=str)

    @property
    def key(self) -> bytes:
        """The identity of this call."""
        return self.key_of(self.tool, self.args)

    def outcome(self) -> object:
        """Return the result, or raise the recorded failure."""
        if self.failure is not None:
            raise CallFailed(self.failure)
        return self.result


def read_recordings(file: Path) -> dict[bytes, Recording]:
    """Return the recordings by call, the last for each; raise on a line that is not a recording."""
    try:
        content = file.read_bytes()[:MAX_RECORDING_BYTES]
    except FileNotFoundError:
        return {}
    lines = [line for line in content.splitlines() if line.strip()]
    recordings = [msgspec.json.decode(line, type=Recording) for line in lines]
    return {recording.key: recording for recording in recordings}
