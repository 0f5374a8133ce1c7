"""A document as its marks build it: a stack of groups over a list of blocks."""

import re
from typing import Final

from ...text import raised
from ..markup import cell_of, emphasised_table, field_target, item, link, marked_up, tamed
from ..office.margins import margin_line
from .flow import Flow
from .fonts import Fonts
from .group import Group
from .styles import StyleSheet
from .tokens import Token
from .words import (
    APART,
    ASIDE,
    BOXES,
    DATE_PARTS,
    IN_A_LINE,
    LABELLED,
    LOOKS,
    MARGINS,
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
        self._fonts = Fonts()
        self._sheet = StyleSheet()
        self._date: dict[str, int] = {}
        self._raw = bytearray()
        self._dropped = 0
        self._high = 0
        self._blocks: list[tuple[str, bool]] = []
        self._flow = Flow()
        self._waiting: list[Flow] = []
        self._field = ""
        self._footnotes: list[str] = []
        self._margins: dict[str, list[str]] = {"Header": [], "Footer": []}

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
        self._end_text()
        while self._waiting:
            self._flow = self._waiting.pop()
            self._end_text()
        pieces: list[str] = []
        was_item = False
        for block, is_item in self._blocks:
            gap = "" if not pieces else "\n" if was_item and is_item else "\n\n"
            pieces.append(gap + block)
            was_item = is_item
        margins = (margin_line(name, texts) for name, texts in self._margins.items())
        beside = margins if pieces else ()
        return "\n\n".join(filter(None, ("".join(pieces), "\n".join(self._footnotes), *beside)))

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
        place = self._group.destination
        is_over = place != self._stack[-1].destination
        if is_over and place in APART:
            self._end_apart(place)
        self._group = self._stack.pop()
        if is_over and self._flow.labels:
            self._end_labelled(place)

    def _end_labelled(self, place: str) -> None:
        match place:
            case "fldrslt":
                self._end_link()
            case "listtext" | "pntext":
                self._end_label()
            case "footnote":
                self._end_footnote()

    def _begins_aside(self, word: str) -> bool:
        starred, self._group.starred = self._group.starred, False
        if word in APART:
            return self._begins_apart(word)
        if self._group.destination in ASIDE and self._group.destination != "stylesheet":
            return False
        if word in LABELLED:
            self._flow.labels.append(len(self._flow.words))
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
                group.hidden, group.codec, group.looks = False, self._fonts.codec, frozenset()
            case _ if word in LOOKS:
                group.look(word, number)
            case "yr" | "mo" | "dy" if group.destination == "creatim":
                self._date[word] = (number or 0) % 10_000
            case _:
                return self._fonts.take(word, number or 0, group)
        return True

    def _act(self, word: str, number: int | None) -> None:
        match word:
            case "par" | "sect" | "page" | "cell" | "nestcell" | "row" | "nestrow":
                if self._is_said:
                    self._end(word)
            case "pard" | "intbl" | "s" | "outlinelevel":
                self._style_paragraph(word, number or 0)
            case _:
                self._say(SPOKEN.get(word, ""))

    @property
    def _is_said(self) -> bool:
        """Whether what stands here is the document's."""
        place = self._group.destination
        return not place or place in LABELLED or place in APART

    def _end(self, word: str) -> None:
        """End a paragraph, a cell or a row."""
        match word:
            case "cell" | "nestcell":
                self._flow.cells.append(cell_of([self._paragraph()]))
            case "row" | "nestrow":
                self._flow.rows.append(self._flow.cells)
                self._flow.cells = []
            case _:
                self._end_paragraph()

    def _style_paragraph(self, word: str, number: int) -> None:
        if self._group.destination in ("listtext", "pntext"):
            # It styles the label, not the paragraph.
            return
        if word in ("pard", "intbl"):
            self._flow.in_row = word == "intbl"
            self._flow.level, self._flow.item = (
                (0, "") if word == "pard" else (self._flow.level, self._flow.item)
            )
        elif word == "s":
            self._flow.level = self._sheet.begin(number)
        elif 0 <= number < _LOWEST_HEADING:
            if self._group.destination == "stylesheet":
                self._sheet.set_level(number + 1)
            else:
                self._flow.level = number + 1

    def _say(self, text: str) -> None:
        if not text or self._group.hidden:
            return
        place = self._group.destination
        if place in PROPERTIES:
            self.properties[place] = self.properties.get(place, "") + text
        elif place == "fldinst":
            self._field += text
        elif place == "stylesheet":
            self._sheet.name(text)
        elif self._is_said:
            said = raised(text) if self._group.is_raised else text
            self._flow.words.append((said, self._group.marks))

    def _begins_apart(self, word: str) -> bool:
        """Begin a text of its own in the middle of another; not in a group that is not shown."""
        place = self._group.destination
        fits = place in ("", "shpinst", "do") if word in BOXES else place not in ASIDE
        if fits:
            self._waiting.append(self._flow)
            self._flow = Flow()
        return fits

    def _end_apart(self, place: str) -> None:
        if place in MARGINS:
            self._margins[MARGINS[place]].append(_plain(self._flow.words))
        else:
            self._end_text()
        self._flow = self._waiting.pop()

    def _end_text(self) -> None:
        self._end_paragraph()
        self._end_table()

    def _end_link(self) -> None:
        begin = self._flow.labels.pop()
        text = marked_up(self._flow.words[begin:])
        target = field_target(self._field)
        self._field = ""
        if target and text.strip():
            self._flow.words[begin:] = [(link(text, target, self._base), "")]

    def _end_label(self) -> None:
        """Turn the number or dot before an item into its mark."""
        begin = self._flow.labels.pop()
        label = _plain(self._flow.words[begin:])
        del self._flow.words[begin:]
        number = _NUMBER.match(label)
        self._flow.item = f"{number[1]}. " if number else "- " if _BULLETS.match(label) else "1. "

    def _end_footnote(self) -> None:
        begin = self._flow.labels.pop()
        text = " ".join(_plain(self._flow.words[begin:]).split())
        if text:
            self._footnotes.append(f"[^{len(self._footnotes) + 1}]: {tamed(text)}")
            self._flow.words[begin:] = [(f"[^{len(self._footnotes)}]", "")]

    def _paragraph(self) -> list[tuple[str, str]]:
        """Take the words of a paragraph, each with the marks of its emphasis."""
        words, self._flow.words = self._flow.words, []
        self._flow.labels.clear()
        return words

    def _end_paragraph(self) -> None:
        self._flush()
        if self._flow.in_row or self._flow.cells or self._group.destination in IN_A_LINE:
            self._flow.words.append((" ", ""))
            return
        spans = self._paragraph()
        plain = tamed(_plain(spans))
        if not plain:
            return
        self._end_table()
        if self._flow.level:
            self._blocks.append((f"{'#' * self._flow.level} {' '.join(plain.split())}", False))
            return
        written, words = ("", "") if self._flow.item else parted_item(plain)
        mark = self._flow.item or written
        text = words if written else tamed(marked_up(spans).strip())
        self._blocks.append((item(mark, text), bool(mark)))

    def _end_table(self) -> None:
        rows, self._flow.rows = self._flow.rows, []
        if written := emphasised_table(rows):
            self._blocks.append((written, False))


def _plain(words: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in words).strip()
