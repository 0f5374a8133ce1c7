"""What calls gave, kept in a file of JSON lines that tests can be checked in with."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...ports.errors import WebError
from ...ports.middleware import CallFailed

MAX_RECORDING_BYTES = 256 * 1024 * 1024


class Recording(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call: what was asked, and its result or its failure."""

    tool: str
    args: Mapping[str, object]
    result: object = None
    failure: WebError | None = None

    @staticmethod
    def key_of(tool: str, args: Mapping[str, object]) -> bytes:
        """Return what makes two calls the same: the tool and its arguments, in any order."""
        return msgspec.json.encode([tool, dict(args)], order="deterministic", enc_hook=str)

    @property
    def key(self) -> bytes:
        """What makes another call the same as this one."""
        return self.key_of(self.tool, self.args)

    def outcome(self) -> object:
        """Return the result, or raise the failure as it was raised then."""
        if self.failure is not None:
            raise CallFailed(self.failure)
        return self.result


def read_recordings(file: Path) -> dict[bytes, Recording]:
    """Return all recordings; of two for one call, the later. A line that is none is an error."""
    try:
        written = file.read_bytes()[:MAX_RECORDING_BYTES]
    except FileNotFoundError:
        return {}
    lines = [line for line in written.splitlines() if line.strip()]
    recordings = [msgspec.json.decode(line, type=Recording) for line in lines]
    return {recording.key: recording for recording in recordings}
