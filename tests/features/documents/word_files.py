"""Word documents before 2007, made by hand of their tables."""

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from .containers import compound

PLAIN, HEADING, IN_CELL = (0, b""), (1, b""), (0, b"\x16\x24\x01")
ROW_END = (0, b"\x16\x24\x01\x17\x24\x01")
_TEXT_AT = 1024
_STYLES, _NOTES, _NOTE_TEXTS, _LETTERS, _PARAGRAPHS, _PIECES = 1, 2, 3, 12, 13, 33
_MARGINS, _LISTS, _USES = 11, 73, 74


def item(number: int, level: int = 0) -> tuple[int, bytes]:
    """The look of a list's item."""
    return 0, struct.pack("<HHHB", 0x460B, number, 0x260A, level)


def style(name: int, base: int = 0xFFF, said: bytes = b"") -> bytes:
    """A paragraph's style by the number that every Word knows it by."""
    about = struct.pack("<HHHHH", name, base << 4 | 1, 1, 0, 0) + struct.pack("<H2xH", 1, 0)
    one = about + struct.pack("<HH", 2 + len(said), 0) + said
    return struct.pack("<H", len(one)) + one


def style_sheet(*styles: bytes) -> bytes:
    return struct.pack("<HHH", 4, len(styles), 10) + b"".join(styles)


def list_level(form: int, text: str, *, start: int = 1, flags: int = 0, limit: int = 0) -> bytes:
    """A level of a list; 0 in its text is the number of the first level."""
    shape = struct.pack("<IBB18xxxBx", start, form, flags, limit)
    return shape + struct.pack("<H", len(text)) + text.encode("utf-16-le")


def list_table(*formats: int) -> dict[int, bytes]:
    """Lists of one level each, by how they count (0 with digits, 23 with dots), and their uses."""
    heads = b"".join(
        struct.pack("<II", number, 0) + b"\0" * 18 + b"\x01\0" for number in range(len(formats))
    )
    uses = b"".join(struct.pack("<I", number) + b"\0" * 12 for number in range(len(formats)))
    levels = b"".join(list_level(form, "\0.") for form in formats)
    return {
        _USES: struct.pack("<I", len(formats)) + uses,
        _LISTS: struct.pack("<H", len(formats)) + heads,
        -1: levels,
    }


def outline_table(*levels: bytes, own: Sequence[bytes] = ()) -> dict[int, bytes]:
    """A list of nine levels, and a second use of it that has levels of its own."""
    every = [*levels, *[list_level(0, "")] * 9][:9]
    uses = [struct.pack("<I8xB3x", 7, count) for count in (0, len(own))]
    before = b"\xff" * 4
    return {
        _USES: struct.pack("<I", 2) + b"".join([*uses, before, before, *own]),
        _LISTS: struct.pack("<HI", 1, 7) + b"\0" * 24,
        -1: b"".join(every),
    }


def own_level(place: int, start: int, level: bytes = b"") -> bytes:
    """What a use of a list says of a level itself: where it begins, and what it writes."""
    return struct.pack("<II", start, place | 16 | (32 if level else 0)) + level


def word_streams(
    paragraphs: Sequence[tuple[str, tuple[int, bytes]]],
    *,
    letters: Mapping[str, bytes] | None = None,
    notes: Mapping[str, str] | None = None,
    beside: tuple[Sequence[str], str] = ((), ""),
    tables: Mapping[int, bytes] | None = None,
    comments: str = "",
) -> dict[str, bytes]:
    """The streams of a document; each paragraph's text ends with its sign.

    ``notes`` are by the words after which they are referred to, ``letters`` are words and what is said of them,
    ``beside`` are margins, six signs that part notes from the text, then the heads and feet of each section, and boxes.
    ``comments`` are the texts of comments, one after the other.
    """
    body = "".join(text for text, _ in paragraphs)
    looks = [look for text, look in paragraphs]
    for words, note in (notes or {}).items():
        assert words in body
        assert note.endswith("\r")
    foot = "".join((notes or {}).values())
    margins, boxes = beside
    heads = "".join(margins)
    text = body + foot + heads + comments + boxes
    bounds = [
        _TEXT_AT + 2 * at for at in accumulate((len(one) for one, _ in paragraphs), initial=0)
    ]
    stream = bytearray((_TEXT_AT * b"\0") + text.encode("utf-16-le"))
    pages = {
        _LETTERS: _page(*_letters(text, letters or {}), width=1),
        _PARAGRAPHS: _page(bounds, [_said(*look) for look in looks], width=13),
    }
    places = [body.index(words) + len(words) for words in notes or {}]
    ends = [*accumulate((len(one) for one in (notes or {}).values()), initial=0)]
    pieces = struct.pack("<IIHIH", 0, len(text), 0, _TEXT_AT, 0)
    sides = [*accumulate((len(one) for one in margins), initial=0)]
    given = {
        _PIECES: b"\x01\x02\0xx\x02" + struct.pack("<I", len(pieces)) + pieces,
        _NOTES: struct.pack(f"<{len(places) + 1}I", *places, len(body)) + b"\1\0" * len(places),
        _NOTE_TEXTS: struct.pack(f"<{len(ends)}I", *ends),
        _MARGINS: struct.pack(f"<{len(sides)}I", *sides),
        **(tables or {}),
    }
    for number, page in pages.items():
        stream += b"\0" * (-len(stream) % 512)
        given[number] = struct.pack("<III", _TEXT_AT, len(stream), len(stream) // 512)
        stream += page
    table = b""
    # What belongs to no table follows the last one: the levels of lists.
    for number, raw in sorted(given.items(), key=lambda one: (one[0] != _LISTS, one[0] != -1)):
        if number >= 0:
            struct.pack_into("<II", stream, 154 + 8 * number, len(table), len(raw))
        table += raw
    struct.pack_into("<HHHHHH", stream, 0, 0xA5EC, 193, 0, 0x409, 0, 0)
    lengths = (len(body), len(foot), len(heads), 0, len(comments), 0, len(boxes), 0)
    struct.pack_into("<8I", stream, 76, *lengths)
    return {"WordDocument": bytes(stream).ljust(4096, b"\0"), "0Table": table.ljust(4096, b"\0")}


def word(*texts: str) -> bytes:
    """A document of plain paragraphs as a file."""
    return compound(word_streams([(f"{text}\r", PLAIN) for text in texts]))


def word_95(text: bytes, language: int) -> bytes:
    """A document of Word 95: letters of one byte, and nothing about them but the language."""
    raw = bytearray(4096)
    struct.pack_into("<HHHHHH", raw, 0, 0xA5DC, 104, 0, language, 0, 0)
    struct.pack_into("<II", raw, 24, 768, 768 + len(text))
    struct.pack_into("<I", raw, 52, len(text))
    raw[768 : 768 + len(text)] = text
    return compound({"WordDocument": bytes(raw)})


def word_95_wide(text: str, mark: int, codec: str) -> bytes:
    """A document of Word 95 for East Asia: two bytes a letter, the last first."""
    raw = bytearray(4096)
    letters = b"".join(letter.encode(codec).rjust(2, b"\0")[::-1] for letter in text)
    struct.pack_into("<HHHHHH", raw, 0, mark, 104, 0, 0x409, 0, 0x1000)
    struct.pack_into("<II", raw, 24, 768, 768 + len(letters))
    struct.pack_into("<I", raw, 52, len(text))
    raw[768 : 768 + len(letters)] = letters
    return compound({"WordDocument": bytes(raw)})


def _said(number: int, commands: bytes) -> bytes:
    raw = struct.pack("<H", number) + commands
    return bytes([(len(raw) + 2) // 2]) + raw if len(raw) % 2 else bytes([0, len(raw) // 2]) + raw


def _letters(text: str, said_of: Mapping[str, bytes]) -> tuple[list[int], list[bytes]]:
    cuts = {0, len(text)}
    for words in said_of:
        cuts |= {text.index(words), text.index(words) + len(words)}
    bounds = sorted(cuts)
    each = [said_of.get(text[begin:end], b"") for begin, end in pairwise(bounds)]
    said = [bytes([len(raw)]) + raw if raw else b"" for raw in each]
    return [_TEXT_AT + 2 * at for at in bounds], said


def _page(bounds: list[int], said: list[bytes], *, width: int) -> bytes:
    page = bytearray(512)
    struct.pack_into(f"<{len(bounds)}I", page, 0, *bounds)
    end = 510
    for number, raw in enumerate(said):
        if raw:
            end = (end - len(raw)) & ~1
            page[end : end + len(raw)] = raw
            page[4 * len(bounds) + width * number] = end // 2
    page[511] = len(said)
    return bytes(page)
