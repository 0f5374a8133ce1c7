"""Read a file, or standard input, that holds a page."""

import sys
from pathlib import Path

from returns.result import Failure, Result, Success

from webseam.adapters.folder_files import open_regular_file
from webseam.ports.errors import InvalidQuery, WebError

MAX_FILE_BYTES = 50 * 1024 * 1024


def read_page_file(name: str) -> Result[bytes, WebError]:
    """Return the bytes of a file, or of standard input for ``-``."""
    try:
        if name == "-":
            body = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with open_regular_file(Path(name)) as file:
                body = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        return _refuse_file(f"{name!r} cannot be read: {reason.lower()}")
    if len(body) > MAX_FILE_BYTES:
        return _refuse_file(f"is larger than {MAX_FILE_BYTES} bytes")
    return Success(body)


def _refuse_file(reason: str) -> Failure[WebError]:
    return Failure(InvalidQuery(field="file", reason=reason))
