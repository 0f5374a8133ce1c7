"""The comments of a Word document before 2007: who wrote each, where, and on which words.

[MS-DOC] 2.8.7 (read 2026-11-17): a comment has a place, the number of its author, and may have one
by which the stretch of text that it is about is found in other tables.
"""

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..office.comments_and_margins import MAX_COMMENTS
from .pieces import (
    BODY,
    COMMENT_AUTHORS,
    COMMENT_BEGINS,
    COMMENT_ENDS,
    COMMENT_NUMBERS,
    COMMENT_PLACES,
    COMMENT_TEXTS,
    COMMENTS,
    WordText,
)

# In bytes: what is said of a comment, where in it the author and the number are, the head of the
# table of numbers and one of them, and what is said of a stretch.
_COMMENT, _AUTHOR, _HEAD, _NUMBER, _STRETCH = 30, 20, 6, 12, 4
_MAX_AUTHORS: Final = 5_000
_MAX_ABOUT_CHARS: Final = 2_000


class Comment(NamedTuple):
    """Who wrote a comment, and where its text and the text that it is about are."""

    author: str
    where: range
    about: range


def read_comments(text: WordText) -> Iterator[Comment]:
    """Yield the comments in the order of the text."""
    raw = text.table(COMMENT_PLACES)
    # A place each and one for the end, then what is said of each.
    count = max(0, len(raw) - 4) // (4 + _COMMENT)
    authors, about = _authors(text), _stretches(text)
    texts = text.stretches(COMMENTS, text.table(COMMENT_TEXTS), min(count, MAX_COMMENTS))
    for number, where in enumerate(texts):
        said = 4 * (count + 1) + _COMMENT * number + _AUTHOR
        author, _, _, tag = struct.unpack_from("<HHHi", raw, said)
        name = authors[author] if author < len(authors) else ""
        yield Comment(name, where, about.get(tag, range(0)))


def _authors(text: WordText) -> list[str]:
    raw = text.table(COMMENT_AUTHORS)
    names: list[str] = []
    at = 0
    while at + 2 <= len(raw) and len(names) < _MAX_AUTHORS:
        end = at + 2 + 2 * int.from_bytes(raw[at : at + 2], "little")
        names.append(raw[at + 2 : end].decode("utf-16-le", "replace"))
        at = end
    return names


def _stretches(text: WordText) -> dict[int, range]:
    """Return the stretches that comments are about, by number."""
    numbers, begins, ends = map(text.table, (COMMENT_NUMBERS, COMMENT_BEGINS, COMMENT_ENDS))
    count = min((len(numbers) - _HEAD) // _NUMBER, (len(begins) - 4) // (4 + _STRETCH))
    if count < 1 or len(ends) < 4:  # noqa: PLR2004  a place
        return {}
    starts = struct.unpack_from(f"<{count}I", begins)
    stops = struct.unpack_from(f"<{len(ends) // 4}I", ends)
    body, first = text.part(BODY), 4 * ((len(begins) - 4) // (4 + _STRETCH) + 1)
    found: dict[int, range] = {}
    for number, start in enumerate(starts):
        (tag,) = struct.unpack_from("<i", numbers, _HEAD + _NUMBER * number + 4)
        (end,) = struct.unpack_from("<H", begins, first + _STRETCH * number)
        stop = stops[end] if end < len(stops) else start
        found[tag] = range(start, min(stop, body.stop, start + _MAX_ABOUT_CHARS))
    return found
