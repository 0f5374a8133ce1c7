"""Read lists of text: gzip or plain, in UTF-8 or the encoding of their byte order mark."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

_GZIP_MAGIC: Final = b"\x1f\x8b"
# Longest first: a UTF-32 mark begins like a UTF-16 mark.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip


@contextmanager
def open_text_lines(path: Path) -> Iterator[Iterator[str]]:
    """Yield the lines of a text with their ends; raises ``OSError``, also during reading."""
    with path.open("rb") as file:
        open_file = gzip.open if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC else open
    encoding = _detect_encoding(path, open_file)
    with open_file(path, "rt", encoding=encoding, errors="replace", newline="") as lines:
        yield _report_damage(lines, path)


def _detect_encoding(path: Path, open_file: Callable[..., IO[Any]]) -> str:
    # Latin-1 maps each byte to one character, so the same reader serves for bytes.
    with open_file(path, "rt", encoding="latin-1", newline="") as stream:
        start = "".join(_report_damage((stream.read(4) for _ in range(1)), path)).encode("latin-1")
    return next((name for mark, name in _BYTE_ORDER_MARKS if start.startswith(mark)), "utf-8-sig")


def _report_damage(lines: Iterable[str], path: Path) -> Iterator[str]:
    try:
        yield from lines
    # gzip raises these beside its own OSError.
    except (EOFError, zlib.error) as problem:
        msg = f"{path.name} is packed, and damaged or cut off"
        raise OSError(None, msg) from problem
