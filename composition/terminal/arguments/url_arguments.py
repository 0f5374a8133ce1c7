"""The URLs of a command: as arguments, or one on each line of standard input."""

import sys
from collections.abc import Iterator, Sequence

from returns.result import Failure, Result, Success

from ....ports.errors import InvalidQuery

STDIN = "-"


def read_addresses(arguments: Sequence[str]) -> Result[list[str], InvalidQuery]:
    """Return every URL, once; a ``-`` stands for the lines of standard input.

    Blank lines and those that begin with ``#`` are skipped there.
    """
    try:
        urls = [url for word in arguments for url in (_lines() if word == STDIN else (word,))]
    except UnicodeDecodeError:
        return Failure(InvalidQuery(field="url", reason="standard input is not text in UTF-8"))
    if not urls:
        return Failure(InvalidQuery(field="url", reason="no URL came on standard input"))
    return Success(list(dict.fromkeys(urls)))


def _lines() -> Iterator[str]:
    stripped = (line.strip() for line in sys.stdin)
    return (line for line in stripped if line and not line.startswith("#"))
