"""Inputs of any length, made one record at a time; the same bytes for the same number."""

import gzip
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from benchmarks.bulk.peers.warcs import record

PER_FILE: Final = 100_000
_PER_FOLDER: Final = 1000
_WORDS: Final = [
    "tide",
    "moon",
    "ship",
    "harbour",
    "rope",
    "sail",
    "wind",
    "shore",
    "gull",
    "anchor",
    "knot",
    "wave",
    "sand",
    "buoy",
]


def make(kind: str, rows: int, folder: Path) -> list[Path]:
    """Write an input of so many rows to a folder; return what to read."""
    folder.mkdir(parents=True)
    return _MAKERS[kind](rows, folder)


def _pages(rows: int, folder: Path) -> list[Path]:
    return _warcs(rows, folder, 200, _page)


def _answers(rows: int, folder: Path) -> list[Path]:
    return _warcs(rows, folder, 404, lambda _number: b"Not found")


def _urls(rows: int, folder: Path) -> list[Path]:
    path = folder / "urls.txt"
    with path.open("w") as lines:
        for number in range(rows):
            lines.write(f"http://10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}/\n")
    return [path]


def _files(rows: int, folder: Path) -> list[Path]:
    for number in range(rows):
        place = folder / f"{number // _PER_FOLDER:06}"
        if not number % _PER_FOLDER:
            place.mkdir()
        (place / f"{number:08}.html").write_bytes(_page(number))
    return [folder]


def _warcs(rows: int, folder: Path, status: int, body: Callable[[int], bytes]) -> list[Path]:
    return [
        _warc(
            folder / f"{first:08}.warc.gz",
            status,
            _bodies(range(rows)[first : first + PER_FILE], body),
        )
        for first in range(0, rows, PER_FILE)
    ]


def _bodies(numbers: range, body: Callable[[int], bytes]) -> Iterator[tuple[str, bytes]]:
    for number in numbers:
        yield f"https://example.com/{number}", body(number)


def _warc(path: Path, status: int, bodies: Iterator[tuple[str, bytes]]) -> Path:
    with path.open("wb") as stream:
        for url, body in bodies:
            stream.write(gzip.compress(record(url, body, status), 1, mtime=0))
    return path


def _page(number: int) -> bytes:
    words = " ".join(random.Random(number).choices(_WORDS, k=40))
    return f"<title>Page {number}</title><h1>Page {number}</h1><p>{words}.</p>".encode()


_MAKERS: Final[dict[str, Callable[[int, Path], list[Path]]]] = {
    "pages": _pages,
    "answers": _answers,
    "urls": _urls,
    "files": _files,
}
KINDS: Final = tuple(_MAKERS)
