"""A document as its marks build it: a stack of groups over a list of blocks."""

import re
from typing import Final

from ..detection.charset import CODE_PAGES, known_codec
from ..markup import Cell, cell_of, emphasised_table, field_target, link, marked_up, tamed
from .group import WESTERN, Group
from .tokens import Token
from .words import (
    ASIDE,
    CHARSETS,
    DATE_PARTS,
    LABELLED,
    MARKS,
    PROPERTIES,
    SPOKEN,
    parted_item,
)  # fmt: skip

_MOST_DEEP: Final = 500
_LOWEST_HEADING: Final = 6
_SURROGATES: Final = (0xD800, 0xE000)
_NUMBER: Final = re.compile(r"\(?(\d{1,4})[.)]?$")
_BULLETS: Final = re.compile(r"^[\s•·o▪\uf0b7\uf0a7-]*$")


class Document:
    """Takes marks, and has the markdown of all of them."""

    def __init__(self, base: str) -> None:
        """Begin with an empty page; ``base`` is where it came from."""
        self.properties: dict[str, str] = {}
        self._base = base
        self._group = Group()
        self._stack: list[Group] = []
        self._codec = WESTERN
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._styles: dict[int, int] = {}
        self._style = 0
        self._style_name = ""
        self._date: dict[str, int] = {}
        self._raw = bytearray()
        self._dropped = 0
        self._high = 0
        self._blocks: list[tuple[str, bool]] = []
        self._words: list[tuple[str, str]] = []
        self._level = 0
        self._item = ""
        self._in_row = False
        self._cells: list[Cell] = []
        self._rows: list[list[Cell]] = []
        self._field = ""
        self._labels: list[int] = []
        self._footnotes: list[str] = []

    @property
    def title(self) -> str:
        """The first heading, if the document begins with one."""
        first = self._blocks[0][0] if self._blocks else ""
        return first.lstrip("#").strip() if first.startswith("#") else ""

    @property
    def day(self) -> str | None:
        """The day it was made."""
        if len(self._date) < len(DATE_PARTS):
            return None
        year, month, day = (self._date[name] for name in DATE_PARTS)
        return f"{year:04}-{month:02}-{day:02}"

    def take(self, token: Token) -> None:
        """Go on with one mark."""
        if token.text:
            self._take_bytes(token.text)
        elif token.word == "u":
            self._take_unicode(token.number or 0)
        else:
            self._flush()
            self._take_word(token.word, token.number)

    def content(self) -> str:
        """Return everything as markdown."""
        self._end_paragraph()
        self._end_table()
        pieces: list[str] = []
        was_item = False
        for block, is_item in self._blocks:
            gap = "" if not pieces else "\n" if was_item and is_item else "\n\n"
            pieces.append(gap + block)
            was_item = is_item
        return "\n\n".join(filter(None, ("".join(pieces), "\n".join(self._footnotes))))

    def _take_bytes(self, text: bytes) -> None:
        """Keep bytes until something else comes: a letter may be made of two of them."""
        drop = min(self._dropped, len(text))
        self._dropped -= drop
        self._raw += text[drop:]

    def _take_unicode(self, number: int) -> None:
        """Take a letter by its number; so many bytes behind it are for readers that know none."""
        self._flush()
        code = number % 0x10000
        self._dropped = self._group.skip
        low, high = _SURROGATES
        if not low <= code < high:
            self._say(chr(code))
        elif code < 0xDC00:  # noqa: PLR2004  where the second halves begin
            self._high = code
        elif self._high:
            self._say(chr(0x10000 + ((self._high - low) << 10) + (code - 0xDC00)))
            self._high = 0

    def _flush(self) -> None:
        if self._raw:
            text = bytes(self._raw)
            self._raw.clear()
            self._say(text.decode(self._group.codec, "replace"))

    def _take_word(self, word: str, number: int | None) -> None:
        match word:
            case "{":
                self._open()
            case "}":
                self._close()
            case "*":
                self._group.starred = True
            case _ if self._begins_aside(word):
                self._group.destination = word
            case _ if not self._set(word, number):
                self._act(word, number)

    def _open(self) -> None:
        self._dropped = 0
        if len(self._stack) < _MOST_DEEP:
            self._stack.append(self._group)
            self._group = Group(self._group)
        else:
            self._stack.append(self._group)

    def _close(self) -> None:
        self._dropped = 0
        if not self._stack:
            return
        ended, self._group = self._group, self._stack.pop()
        if ended.destination == self._group.destination or not self._labels:
            return
        match ended.destination:
            case "fldrslt":
                self._end_link()
            case "listtext" | "pntext":
                self._end_label()
            case "footnote":
                self._end_footnote()

    def _begins_aside(self, word: str) -> bool:
        starred, self._group.starred = self._group.starred, False
        if self._group.destination in ASIDE and self._group.destination != "stylesheet":
            return False
        if word in LABELLED:
            self._labels.append(len(self._words))
            return True
        if word in (*PROPERTIES, "creatim") and any(
            each.destination == "info" for each in self._stack
        ):
            return True
        known = word in ASIDE or word == "info"
        return known or (starred and word not in ("cs", "ls"))

    def _set(self, word: str, number: int | None) -> bool:
        """Take what holds for a while; tell whether the word was such."""
        group = self._group
        match word:
            case "uc":
                group.skip = max(0, number if number is not None else 1)
            case "v":
                group.hidden = number != 0
            case "plain":
                group.hidden, group.codec, group.looks = False, self._codec, frozenset()
            case _ if word in MARKS:
                group.look(word, number)
            case "yr" | "mo" | "dy" if group.destination == "creatim":
                self._date[word] = (number or 0) % 10_000
            case _:
                return self._set_codec(word, number or 0)
        return True

    def _set_codec(self, word: str, number: int) -> bool:
        """Take what says how bytes are read: a code page for all, or a font with its own."""
        match word:
            case "ansicpg" | "mac":
                label = CODE_PAGES.get(number, "") if word == "ansicpg" else "macintosh"
                self._codec = self._group.codec = _codec(label)
            case "f":
                self._font = number
                self._group.codec = self._fonts.get(number, self._codec)
            case "fcharset" if self._group.destination == "fonttbl" and number in CHARSETS:
                self._fonts[self._font] = _codec(CHARSETS[number])
            case _:
                return False
        return True

    def _act(self, word: str, number: int | None) -> None:
        match word:
            case "par" | "sect" | "page":
                self._end_paragraph()
            case "cell" | "nestcell":
                self._cells.append(cell_of([self._paragraph()]))
            case "row" | "nestrow":
                self._rows.append(self._cells)
                self._cells = []
            case "pard" | "intbl" | "s" | "outlinelevel":
                self._style_paragraph(word, number or 0)
            case _:
                self._say(SPOKEN.get(word, ""))

    def _style_paragraph(self, word: str, number: int) -> None:
        if self._group.destination in ("listtext", "pntext"):
            # It styles the label, not the paragraph.
            return
        if word in ("pard", "intbl"):
            self._in_row = word == "intbl"
            self._level, self._item = (0, "") if word == "pard" else (self._level, self._item)
        elif word == "s":
            self._style = number
            self._level = self._styles.get(number, 0)
        elif 0 <= number < _LOWEST_HEADING:
            if self._group.destination == "stylesheet":
                self._styles[self._style] = number + 1
            else:
                self._level = number + 1

    def _say(self, text: str) -> None:
        if not text or self._group.hidden:
            return
        place = self._group.destination
        if place in PROPERTIES:
            self.properties[place] = self.properties.get(place, "") + text
        elif place == "fldinst":
            self._field += text
        elif place == "stylesheet":
            self._name_style(text)
        elif not place or place in LABELLED:
            self._words.append((text, self._group.marks))

    def _name_style(self, text: str) -> None:
        """Note a style whose name says that it is a heading; a name ends with a semicolon."""
        self._style_name += text
        if not self._style_name.endswith(";"):
            return
        words = self._style_name[:-1].lower().split()
        self._style_name = ""
        match words:
            case ["heading", digit] if digit in {*"123456789"}:
                self._styles[self._style] = min(int(digit), _LOWEST_HEADING)
            case ["title"]:
                self._styles[self._style] = 1
            case ["subtitle"]:
                self._styles[self._style] = 2

    def _end_link(self) -> None:
        begin = self._labels.pop()
        text = marked_up(self._words[begin:])
        target = field_target(self._field)
        self._field = ""
        if target and text.strip():
            self._words[begin:] = [(link(text, target, self._base), "")]

    def _end_label(self) -> None:
        """Turn the number or dot before an item into its mark."""
        begin = self._labels.pop()
        label = _plain(self._words[begin:])
        del self._words[begin:]
        number = _NUMBER.match(label)
        self._item = f"{number[1]}. " if number else "- " if _BULLETS.match(label) else "1. "

    def _end_footnote(self) -> None:
        begin = self._labels.pop()
        text = " ".join(_plain(self._words[begin:]).split())
        if text:
            self._footnotes.append(f"[^{len(self._footnotes) + 1}]: {tamed(text)}")
            self._words[begin:] = [(f"[^{len(self._footnotes)}]", "")]

    def _paragraph(self) -> list[tuple[str, str]]:
        """Take the words of a paragraph, each with the marks of its emphasis."""
        words, self._words = self._words, []
        self._labels.clear()
        return words

    def _end_paragraph(self) -> None:
        self._flush()
        if self._in_row or self._cells or self._group.destination == "footnote":
            self._words.append((" ", ""))
            return
        spans = self._paragraph()
        plain = tamed(_plain(spans))
        if not plain:
            return
        self._end_table()
        if self._level:
            self._blocks.append((f"{'#' * self._level} {' '.join(plain.split())}", False))
            return
        written, words = ("", "") if self._item else parted_item(plain)
        item = self._item or written
        text = words if written else tamed(marked_up(spans).strip())
        self._blocks.append((f"{item}{text}", bool(item)))

    def _end_table(self) -> None:
        rows, self._rows = self._rows, []
        if written := emphasised_table(rows):
            self._blocks.append((written, False))


def _plain(words: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in words).strip()


def _codec(label: str) -> str:
    """Return the codec of a label that browsers know, Western for any other."""
    return known_codec(label) or WESTERN
