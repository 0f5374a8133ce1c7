"""A document as its marks build it: a stack of groups over what is written."""

from collections.abc import Callable
from typing import Final

from ....pages.safe_text import superscript
from ..markdown_writing import disarm_pictures, field_target, join_emphasised, markdown_link
from ..office.comments_and_margins import comments_section, margin_line
from ..symbols import field_symbol
from .comments import RtfComments
from .control_words import (
    APART,
    ASIDE,
    BOXES,
    DATE_PARTS,
    IN_A_LINE,
    LABELLED,
    LETTERS,
    LOOKS,
    MARGINS,
    PLACES,
    PROPERTIES,
    RESUMED,
    SPOKEN,
    TABLES,
    Fonts,
    RtfField,
    RtfGroup,
    StyleSheet,
)
from .rtf_blocks import Lists, RtfBlocks, RtfFlow, strip_emphasis
from .tokens import RtfToken

_MAX_GROUP_DEPTH: Final = 500
_MAX_SEPARATE_FLOWS: Final = 50
_MAX_INSTRUCTION_CHARS: Final = 8_000
_MAX_PROPERTY_CHARS: Final = 2_000
_MAX_HEADING_LEVEL: Final = 6
_MAX_ITEM_DEPTH: Final = 8
_FIRST_HALVES, _SECOND_HALVES = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
_LAST_OF_TWO_BYTES, _LAST = 0xFFFF, 0x10FFFF
_ENDS: Final = frozenset({"par", "sect", "page", "column", "cell", "nestcell", "row"})
_STYLES: Final = frozenset({"pard", "intbl", "s", "outlinelevel", "ls", "ilvl"})
_IN_A_LABEL: Final = frozenset({"listtext", "pntext"})


class RtfDocument:
    """Takes marks, and has the markdown of all of them."""

    def __init__(self, base: str) -> None:
        """Begin with an empty page; ``base`` is where it came from."""
        self.properties: dict[str, str] = {}
        self.ends = 0
        self._base = base
        self._group = RtfGroup()
        self._stack: list[RtfGroup] = []
        self._deeper = 0
        self._fonts, self._sheet, self._lists = Fonts(), StyleSheet(), Lists()
        self._blocks = RtfBlocks(self._lists)
        self._comments = RtfComments()
        self._date: dict[str, int] = {}
        self._raw = bytearray()
        self._dropped = 0
        self._high = 0
        self._flow = RtfFlow()
        self._waiting: list[RtfFlow] = []
        self._footnotes: list[str] = []
        self._margins: dict[str, list[str]] = {"Header": [], "Footer": []}
        self._asides: dict[str, Callable[[str], None]] = {
            "fonttbl": self._fonts.name,
            "stylesheet": self._sheet.name,
            "leveltext": self._lists.write,
            "fldinst": self._make_field,
        }
        self._tables: dict[str, Callable[[str, int], None]] = {
            "fonttbl": self._fonts.describe,
            "listtable": self._lists.list,
            "listoverridetable": self._lists.use,
        }

    @property
    def title(self) -> str:
        """The first heading, if the document begins with one."""
        first = self._blocks.done[0][0] if self._blocks.done else ""
        return first.lstrip("#").strip() if first.startswith("#") else ""

    @property
    def day(self) -> str | None:
        """The day it was made."""
        if len(self._date) < len(DATE_PARTS):
            return None
        year, month, day = (self._date[name] for name in DATE_PARTS)
        return f"{year:04}-{month:02}-{day:02}"

    def take(self, token: RtfToken) -> None:
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
        self._flush()
        self._blocks.end_text(self._flow)
        while self._waiting:
            self._flow = self._waiting.pop()
            self._blocks.end_text(self._flow)
        text = self._blocks.text
        margins = (margin_line(name, texts) for name, texts in self._margins.items())
        beside = (comments_section(self._comments.lines), *margins) if text else ()
        return "\n\n".join(filter(None, (text, "\n".join(self._footnotes), *beside)))

    def _take_bytes(self, text: bytes) -> None:
        """Keep bytes until something else comes: a letter may be made of two of them."""
        drop = min(self._dropped, len(text))
        self._dropped -= drop
        self._raw += text[drop:]

    def _take_unicode(self, number: int) -> None:
        """Take a letter by its number; so many bytes behind it are for readers that know none."""
        self._flush()
        self._dropped = self._group.skip
        # Of two bytes, with a sign or without; some programs write larger letters whole.
        code = number if _LAST_OF_TWO_BYTES < number <= _LAST else number % 0x10000
        high, self._high = self._high, 0
        if code in _FIRST_HALVES:
            self._high = code
        elif code not in _SECOND_HALVES:
            self._say(self._fonts.sign(code, self._group.font))
        elif high:
            self._say(chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))

    def _flush(self) -> None:
        if not self._raw:
            return
        raw = bytes(self._raw)
        self._raw.clear()
        self._high = 0
        is_plain = self._group.destination in PROPERTIES
        self._say(
            self._fonts.plain(raw) if is_plain else self._fonts.decoded(raw, self._group.font)
        )

    def _take_word(self, word: str, number: int | None) -> None:
        if word == "{":
            self._open()
        elif word == "}":
            self._close()
        elif word == "*":
            self._group.starred = True
        elif (word in PLACES or self._group.starred) and self._begins_aside(word):
            self._group.begin(word)
        else:
            self._take_control(word, number)

    def _take_control(self, word: str, number: int | None) -> None:
        table = self._tables.get(self._group.destination)
        if table is not None:
            table(word, number or 0)
        elif not self._set(word, number):
            self._act(word, number)

    def _open(self) -> None:
        self._dropped = 0
        if len(self._stack) < _MAX_GROUP_DEPTH:
            self._stack.append(self._group)
            self._group = RtfGroup(self._group)
        else:
            self._deeper += 1

    def _close(self) -> None:
        self._dropped = 0
        if self._deeper:
            self._deeper -= 1
        elif self._stack:
            group, self._group = self._group, self._stack.pop()
            if group.begun:
                self._end_place(group)

    def _end_place(self, group: RtfGroup) -> None:
        place = group.destination
        if place in APART:
            self._end_apart(place)
        elif place in LABELLED and self._flow.labels:
            begin = self._flow.labels.pop()
            if place == "fldrslt":
                self._end_field(group.field, begin)
            else:
                self._end_label(begin)
        else:
            self._end_aside(place)

    def _end_aside(self, place: str) -> None:
        match place:
            case "leveltext":
                self._lists.end_text()
            case "atrfstart":
                self._comments.begin()
            case "atrfend":
                self._comments.end()

    def _begins_aside(self, word: str) -> bool:
        """Tell whether a word begins a place of its own, where text is something else."""
        starred, self._group.starred = self._group.starred, False
        place = self._group.destination
        if word in APART:
            return self._begins_apart(word)
        if place in ASIDE and place not in TABLES:
            if RESUMED.get(word) == place:
                self._group.resume()
            return False
        if word in LABELLED:
            self._flow.labels.append(len(self._flow.words))
            return True
        return self._is_known(word) or (starred and word not in ("cs", "ls"))

    def _is_known(self, word: str) -> bool:
        if word in (*PROPERTIES, "creatim"):
            return self._group.destination == "info"
        return word in ASIDE or word == "info"

    def _set(self, word: str, number: int | None) -> bool:
        """Take what holds for a while; tell whether the word was such."""
        group = self._group
        match word:
            case "f":
                group.font = number or 0
            case "uc":
                group.skip = max(0, number if number is not None else 1)
            case "plain":
                group.reset()
            case _ if word in LOOKS:
                group.look(word, number)
            case _:
                return self._set_rarely(word, 1 if number is None else number)
        return True

    def _set_rarely(self, word: str, number: int) -> bool:
        group = self._group
        match word:
            case "v":
                group.hidden = number != 0
            case "deleted":
                group.deleted = number != 0
            case "field":
                group.field = RtfField()
            case "ffres" | "ffdefres":
                # A box that nobody touched says 25, and then how it is by itself.
                group.field.ticked = number == 1
            case "yr" | "mo" | "dy" if group.destination == "creatim":
                self._date[word] = number % 10_000
            case _:
                return self._fonts.take(word, number)
        return True

    def _act(self, word: str, number: int | None) -> None:
        if word in _ENDS:
            self.ends += 1
            if self._is_said and not self._group.deleted:
                self._blocks.end(word, self._flow)
        elif word in _STYLES:
            self._style_paragraph(word, number or 0)
        elif word in SPOKEN:
            self._speak(word)

    def _speak(self, word: str) -> None:
        if self._dropped and word in LETTERS:
            self._dropped -= 1
        else:
            self._say(SPOKEN[word])

    @property
    def _is_said(self) -> bool:
        """Whether what stands here is the document's."""
        place = self._group.destination
        return not place or place in LABELLED or place in APART

    def _style_paragraph(self, word: str, number: int) -> None:
        place, flow = self._group.destination, self._flow
        if place == "stylesheet":
            self._style_sheet(word, number)
        elif place in _IN_A_LABEL:
            # It styles the label, not the paragraph.
            return
        elif word == "pard":
            flow.reset()
        elif word == "intbl":
            flow.in_row = True
        else:
            self._style_words(word, number)

    def _style_words(self, word: str, number: int) -> None:
        match word:
            case "s":
                self._flow.level = self._sheet.begin(number)
            case "ls":
                self._flow.list = number
            case "ilvl":
                self._flow.depth = min(max(0, number), _MAX_ITEM_DEPTH)
            case _ if 0 <= number < _MAX_HEADING_LEVEL:
                self._flow.level = number + 1

    def _style_sheet(self, word: str, number: int) -> None:
        if word == "s":
            self._sheet.begin(number)
        elif word == "outlinelevel" and 0 <= number < _MAX_HEADING_LEVEL:
            self._sheet.set_level(number + 1)

    def _say(self, text: str) -> None:
        group = self._group
        if not self._is_said:
            self._say_aside(text, group.destination)
            return
        if not text or group.hidden or group.deleted:
            return
        said = superscript(text) if group.is_raised else text
        self._flow.words.append((said, group.marks))
        if not self._flow.in_line and group.destination not in _IN_A_LABEL:
            self._comments.hear(said)

    def _say_aside(self, text: str, place: str) -> None:
        if place in self._asides:
            self._asides[place](text)
        elif place in PROPERTIES:
            self.properties[place] = (self.properties.get(place, "") + text)[:_MAX_PROPERTY_CHARS]
        elif place.startswith(("atn", "atrf")):
            self._comments.note(place, text)

    def _make_field(self, text: str) -> None:
        field = self._group.field
        field.making = (field.making + text)[:_MAX_INSTRUCTION_CHARS]

    def _begins_apart(self, word: str) -> bool:
        """Begin a text of its own in the middle of another; not in a group that is not shown."""
        place = self._group.destination
        fits = place in ("", "shpinst", "do") if word in BOXES else self._is_said
        if fits and len(self._waiting) < _MAX_SEPARATE_FLOWS:
            self._waiting.append(self._flow)
            self._flow = RtfFlow(in_line=word in IN_A_LINE)
            # Word hides the marks of comments, and what belongs to them stands among the marks.
            self._group.hidden = self._group.hidden and word != "annotation"
            return True
        return False

    def _end_apart(self, place: str) -> None:
        if not self._waiting:
            return
        ended, self._flow = self._flow, self._waiting.pop()
        if place in MARGINS:
            self._margins[MARGINS[place]].append(ended.line)
        elif place == "annotation":
            self._comments.add(ended.line)
        elif place == "footnote":
            self._add_footnote(ended.line)
        else:
            self._blocks.end_text(ended)

    def _add_footnote(self, line: str) -> None:
        if line:
            number = len(self._footnotes) + 1
            self._footnotes.append(f"[^{number}]: {disarm_pictures(' '.join(line.split()))}")
            self._flow.words.append((f"[^{number}]", ""))

    def _end_field(self, field: RtfField, begin: int) -> None:
        """Make a link of what a field shows, or say what it shows without words."""
        text = join_emphasised(self._flow.words[begin:])
        if not text.strip():
            self._flow.words.append((_shown(field), ""))
            return
        target = field_target(field.making)
        if target:
            self._flow.words[begin:] = [(markdown_link(text, target, self._base), "")]

    def _end_label(self, begin: int) -> None:
        """Keep the number or dot before an item until the item is written."""
        self._flow.label = strip_emphasis(self._flow.words[begin:])
        del self._flow.words[begin:]


def _shown(field: RtfField) -> str:
    """Return a sign, or a box to be ticked."""
    if "FORMCHECKBOX" in field.making:
        return "[x]" if field.ticked else "[ ]"
    return field_symbol(field.making)
