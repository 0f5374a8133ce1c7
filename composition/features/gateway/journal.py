"""The log on standard error: one JSON object a line, or plain lines where a person reads them.

No key, query or URL of a caller is in it.
"""

import logging
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TextIO

import msgspec

from webseam.kernel.text.redaction import redact

Write = Callable[[dict[str, object]], None]


def journal_writer(stream: TextIO | None = None) -> Write:
    """Return a function that writes a log line to a stream, by default standard error."""

    def write(fields: dict[str, object]) -> None:
        out = stream or sys.stderr
        now = datetime.now(UTC)
        try:
            if out.isatty():
                line = f"{now.astimezone():%H:%M:%S} {_plain_line(fields)}"
            else:
                stamp = now.isoformat(timespec="milliseconds")
                line = msgspec.json.encode({"time": stamp, **fields}).decode()
            # What the server tells of its own start is not for a terminal.
            if not out.isatty() or (fields.get("level"), "from" in fields) != ("info", True):
                out.write(line + "\n")
            out.flush()
        except (OSError, ValueError):
            # The reader of the log is gone; keep answering calls.
            return

    return write


def _plain_line(fields: Mapping[str, object]) -> str:
    """Return a line of the log for a person.

    >>> _plain_line({"level": "info", "id": "7", "method": "GET", "route": "/ready", "status": 200})
    'GET /ready 200'
    """
    hidden = ("level", "id", "dialect", "trace", "from")
    ms = {"ms": f"{fields['ms']} ms"} if "ms" in fields else {}
    words = [str(value) for name, value in {**fields, **ms}.items() if name not in hidden and value]
    return " ".join(words if fields.get("level") == "info" else [f"{fields.get('level')}:", *words])


class JournalHandler(logging.Handler):
    """Writes log records of libraries to the journal."""

    def __init__(self, write: Write) -> None:
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
