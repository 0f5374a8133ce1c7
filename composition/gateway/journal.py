"""The log: one JSON object a line on standard error. No key, query or URL of a caller is in it."""

import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from ...kernel.text.redaction import redact

Write = Callable[[dict[str, object]], None]


def journal_writer(stream: TextIO | None = None) -> Write:
    """Return a function that writes a log line to a stream, by default standard error."""

    def write(fields: dict[str, object]) -> None:
        out = stream or sys.stderr
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = msgspec.json.encode({"time": now, **fields}).decode()
        try:
            out.write(line + "\n")
            out.flush()
        except (OSError, ValueError):
            # The reader of the log is gone; keep answering calls.
            return

    return write


class JournalHandler(logging.Handler):
    """Writes log records of libraries to the journal."""

    def __init__(self, write: Write) -> None:
        """Write lines with ``write``."""
        super().__init__(logging.INFO)
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line; name only the type of an exception, as its text may hold secrets."""
        fields: dict[str, object] = {
            "level": record.levelname.lower(),
            "from": record.name,
            "message": redact(record.getMessage())[:1000],
        }
        if record.exc_info and record.exc_info[0] is not None:
            fields["exception"] = record.exc_info[0].__name__
        self._write(fields)
