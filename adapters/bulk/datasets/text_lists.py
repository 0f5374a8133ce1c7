"""Lists as others write them: packed with gzip or not, in UTF-8 or what their mark says."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

_GZIP: Final = b"\x1f\x8b"
# The longer ones first: one of UTF-32 begins like one of UTF-16.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[str]]:
    """Give the lines of a text with their ends; raises ``OSError``, also while they are read."""
    with path.open("rb") as file:
        opened = gzip.open if file.read(len(_GZIP)) == _GZIP else open
    encoding = _encoding(path, opened)
    with opened(path, "rt", encoding=encoding, errors="replace", newline="") as lines:
        yield _whole(lines, path)


def _encoding(path: Path, opened: Callable[..., IO[Any]]) -> str:
    # As letters that have the same numbers, so that the same reader will do.
    with opened(path, "rt", encoding="latin-1", newline="") as stream:
        start = "".join(_whole((stream.read(4) for _ in range(1)), path)).encode("latin-1")
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8-sig")


def _whole(lines: Iterable[str], path: Path) -> Iterator[str]:
    try:
        yield from lines
    # What gzip raises beside its own OSError.
    except (EOFError, zlib.error) as problem:
        msg = f"{path.name} is packed, and damaged or cut off"
        raise OSError(None, msg) from problem
