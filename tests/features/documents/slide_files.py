"""Presentations before 2007, made by hand of their records."""

import struct
from collections.abc import Mapping, Sequence

from .containers import compound

_HOLDS = 15
TITLE, BODY, SPOKEN, OTHER = 0, 1, 2, 4


def record(sort: int, *inside: bytes, number: int = 0, holds: bool = True) -> bytes:
    """A record, of others where it holds them."""
    data = b"".join(inside)
    return struct.pack("<HHI", number << 4 | (_HOLDS if holds else 0), sort, len(data)) + data


def atom(sort: int, data: bytes, number: int = 0) -> bytes:
    return record(sort, data, number=number, holds=False)


def text(words: str, role: int = OTHER, levels: Sequence[tuple[int, int]] = ()) -> bytes:
    """A text and what it is for; ``levels`` are runs of letters and how deep they stand."""
    raw = atom(0xFA8, words.encode("latin-1")) if words.isascii() else wide(words)
    # With a look that has every part there is, so that each has to be stepped over.
    look = struct.pack("<I26xH4x", 0x3FFDFF, 1) + b"\0" * 6
    runs = b"".join(struct.pack("<IH", *one) + look for one in levels)
    return atom(0xF9F, struct.pack("<I", role)) + raw + (atom(0xFA1, runs) if levels else b"")


def wide(words: str) -> bytes:
    return atom(0xFA0, words.encode("utf-16-le"))


def shape(box: bytes, *more: bytes, kind: int = 1) -> bytes:
    return record(0xF004, atom(0xF00A, b"\0" * 8, kind), *more, record(0xF00D, box))


def reference(number: int) -> bytes:
    """A shape whose text is in the list of slides."""
    return shape(atom(0xF9E, struct.pack("<I", number)))


def placed(words: str, left: int, top: int) -> bytes:
    """A cell of a table."""
    return shape(text(words), atom(0xF00F, struct.pack("<iiii", left, top, 0, 0)))


def grid(*cells: bytes) -> bytes:
    """A group of shapes that is a table."""
    about = atom(0xF122, struct.pack("<HI", 0x39F, 1), 1)
    line = shape(b"", atom(0xF00F, struct.pack("<iiii", 7, 7, 0, 0)), kind=20)
    return record(0xF003, record(0xF004, about), *cells, line)


def picture(words: str) -> bytes:
    raw = f"{words}\0".encode("utf-16-le")
    return record(0xF004, atom(0xF00B, struct.pack("<HI", 0x8381, len(raw)) + raw, 1))


def slide(*shapes: bytes, hidden: bool = False, notes: int = 0, sort: int = 0x3EE) -> bytes:
    about = atom(0x3EF, b"\0" * 16 + struct.pack("<II", notes, 0))
    showing = atom(0x3F9, b"\0" * 10 + struct.pack("<HI", 4 if hidden else 0, 0))
    drawing = record(0x40C, record(0xF002, record(0xF003, *shapes)))
    return record(sort, about, showing, drawing)


def deck_streams(
    slides: Sequence[bytes],
    *,
    outline: Mapping[int, bytes] | None = None,
    notes: Sequence[bytes] = (),
    footer: str = "",
) -> dict[str, bytes]:
    """The streams of a presentation; ``outline`` are the texts that the list has, by slide."""
    objects = [*slides, *notes]
    listed = [
        atom(0x3F3, struct.pack("<IIiII", at + 2, 0, 0, 256 + at, 0)) + (outline or {}).get(at, b"")
        for at in range(len(objects))
    ]
    foot = record(0xFD9, atom(0xFBA, footer.encode("utf-16-le"), 2), number=3) if footer else b""
    document = record(
        0x3E8,
        foot,
        record(0xFF0, *listed[: len(slides)]),
        record(0xFF0, *listed[len(slides) :], number=2),
    )
    stream, places = b"", []
    for one in (document, *objects):
        places.append(len(stream))
        stream += one
    directory = len(stream)
    stream += atom(0x1772, struct.pack(f"<I{len(places)}I", len(places) << 20 | 1, *places))
    edit = len(stream)
    stream += atom(0xFF5, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, 9, 0))
    current = atom(0xFF6, struct.pack("<III", 20, 0xE391C05F, edit) + b"\0" * 12)
    return {"PowerPoint Document": stream.ljust(4096, b"\0"), "Current User": current.ljust(4096)}


def deck(*slides: bytes) -> bytes:
    """A presentation as a file."""
    return compound(deck_streams(slides))
