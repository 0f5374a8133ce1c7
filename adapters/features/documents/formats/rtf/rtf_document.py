"""An RTF document, built from its tokens with a stack of groups."""

from collections.abc import Callable
from typing import Final

import msgspec

from webseam.adapters.values.dates import iso_date
from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from .. import markdown_writing, symbols
from ..office.comments_and_margins import comments_list, margin_line
from . import control_words as words, tokens
from .colours import RtfColours
from .control_words import RtfField, RtfFonts, RtfGroup, RtfStyleSheet
from .rtf_blocks import RtfBlocks, RtfComments, RtfFlow, RtfLists, strip_rtf_emphasis

_MAX_GROUP_DEPTH: Final = 500
_MAX_SEPARATE_FLOWS: Final = 50
_MAX_INSTRUCTION_CHARS: Final = 8_000
_MAX_PROPERTY_CHARS: Final = 2_000
_MAX_HEADING_LEVEL: Final = 6
_MAX_ITEM_DEPTH: Final = 8
_HIGH_SURROGATES, _LOW_SURROGATES = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
_MAX_TWO_BYTE_CODE, _MAX_CODE = 0xFFFF, 0x10FFFF
_END_WORDS: Final = frozenset({"par", "sect", "page", "column", "cell", "nestcell", "row"})
_PARAGRAPH_STYLE_WORDS: Final = frozenset({"pard", "intbl", "s", "outlinelevel", "ls", "ilvl"})
_LABEL_TEXT_GROUPS: Final = frozenset({"listtext", "pntext"})


class RtfDocument:
    """Takes tokens, and returns the markdown of the document."""

    def __init__(self, base: str, colours: RtfColours) -> None:
        self.properties: dict[str, str] = {}
        self.ends = 0
        self.hidden: list[str] = []
        self._base, self._colours = base, colours
        self._group = RtfGroup()
        self._stack: list[RtfGroup] = []
        self._ignored_depth = 0
        self._fonts, self._sheet, self._lists = RtfFonts(), RtfStyleSheet(), RtfLists()
        self._blocks = RtfBlocks(self._lists)
        self._comments = RtfComments()
        self._date: dict[str, int] = {}
        self._raw = bytearray()
        self._bytes_to_drop = 0
        self._high_surrogate = 0
        self._flow = RtfFlow()
        self._outer_flows: list[RtfFlow] = []
        self._footnotes: list[str] = []
        self._margins: dict[str, list[str]] = {"Header": [], "Footer": []}
        self._aside_writers: dict[str, Callable[[str], None]] = {
            "fonttbl": self._fonts.take_font_name,
            "stylesheet": self._sheet.take_style_name,
            "colortbl": colours.take_colour_end,
            "leveltext": self._lists.write_level_label,
            "fldinst": self._extend_instruction,
        }
        self._table_readers: dict[str, Callable[[str, int], None]] = {
            "fonttbl": self._fonts.take_font_word,
            "colortbl": colours.take_colour_word,
            "listtable": self._lists.take_list_word,
            "listoverridetable": self._lists.take_override_word,
        }

    @property
    def leading_title(self) -> str:
        """The first heading, if the document begins with one."""
        return markdown_writing.leading_heading(next((block for block, _ in self._blocks.done), ""))

    @property
    def creation_day(self) -> str | None:
        """The day on which the document was created."""
        if len(self._date) < len(words.DATE_PARTS):
            return None
        year, month, day = (self._date[name] for name in words.DATE_PARTS)
        return iso_date(f"{year:04}-{month:02}-{day:02}")

    def take_token(self, token: tokens.RtfToken) -> None:
        """Take one token."""
        if token.text:
            # Buffer bytes until another token comes: a letter may have two bytes.
            drop = min(self._bytes_to_drop, len(token.text))
            self._bytes_to_drop -= drop
            self._raw += token.text[drop:]
        elif token.word == "u":
            self._take_unicode(token.number or 0)
        else:
            self._flush_bytes()
            self._take_word(token.word, token.number)

    def write_markdown(self) -> str:
        """Return the document as markdown."""
        self._flush_bytes()
        self._blocks.end_flow(self._flow)
        while self._outer_flows:
            self._flow = self._outer_flows.pop()
            self._blocks.end_flow(self._flow)
        text = markdown_writing.join_blocks(self._blocks.done)
        margins = (margin_line(name, texts) for name, texts in self._margins.items())
        comments = comments_list(self._comments.lines, "## Comments")
        return "\n\n".join(filter(None, (text, "\n".join(self._footnotes), comments, *margins)))

    def _take_unicode(self, number: int) -> None:
        """Take a letter by its code; the fallback bytes after it are dropped."""
        self._flush_bytes()
        self._bytes_to_drop = self._group.skip
        # Two bytes, signed or unsigned; some programs write larger codes in full.
        code = number if _MAX_TWO_BYTE_CODE < number <= _MAX_CODE else number % 0x10000
        high, self._high_surrogate = self._high_surrogate, 0
        if code in _HIGH_SURROGATES:
            self._high_surrogate = code
        elif code not in _LOW_SURROGATES:
            self._write_text(self._fonts.letter(code, self._group.font))
        elif high:
            self._write_text(chr(0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)))

    def _flush_bytes(self) -> None:
        if not self._raw:
            return
        raw = bytes(self._raw)
        self._raw.clear()
        self._high_surrogate = 0
        fonts, group = self._fonts, self._group
        is_plain = group.destination in words.PROPERTIES
        text = fonts.decode_property(raw) if is_plain else fonts.decode_bytes(raw, group.font)
        self._write_text(text)

    def _take_word(self, word: str, number: int | None) -> None:
        if word == "{":
            self._bytes_to_drop = 0
            if len(self._stack) < _MAX_GROUP_DEPTH:
                self._stack.append(self._group)
                self._group = msgspec.structs.replace(self._group, starred=False, begun=False)
            else:
                self._ignored_depth += 1
        elif word == "}":
            self._close_group()
        elif word == "*":
            self._group.starred = True
        elif (word in words.DESTINATIONS or self._group.starred) and self._is_aside_start(word):
            self._group.begin_destination(word)
        else:
            self._take_control_word(word, number)

    def _take_control_word(self, word: str, number: int | None) -> None:
        table = self._table_readers.get(self._group.destination)
        if table is not None:
            table(word, number or 0)
        elif not self._set_group_state(word, number):
            self._act_on_control_word(word, number)

    def _close_group(self) -> None:
        self._bytes_to_drop = 0
        if self._ignored_depth:
            self._ignored_depth -= 1
        elif self._stack:
            group, self._group = self._group, self._stack.pop()
            if group.begun:
                self._end_destination(group)

    def _end_destination(self, group: RtfGroup) -> None:
        destination = group.destination
        if destination in words.SEPARATE_GROUPS:
            self._end_flow(destination)
        elif destination in words.LABEL_GROUPS and self._flow.labels:
            begin = self._flow.labels.pop()
            if destination == "fldrslt":
                self._end_field(group.field, begin)
            else:
                # Store the label of an item until the item is written.
                self._flow.label = strip_rtf_emphasis(self._flow.words[begin:])
                del self._flow.words[begin:]
        else:
            self._end_aside(destination)

    def _end_aside(self, destination: str) -> None:
        match destination:
            case "leveltext":
                self._lists.end_level_label()
            case "atrfstart":
                self._comments.begin_comment_range(self._comments.take_comment_field(destination))
            case "atrfend":
                self._comments.end_comment_range(self._comments.take_comment_field(destination))

    def _is_aside_start(self, word: str) -> bool:
        """Tell whether a word begins a destination that is not document text."""
        starred, self._group.starred = self._group.starred, False
        destination = self._group.destination
        if word in words.SEPARATE_GROUPS:
            return self._try_begin_flow(word)
        if destination in words.ASIDE_GROUPS and destination not in words.TABLE_GROUPS:
            if words.RESUMED_GROUPS.get(word) == destination:
                self._group.destination = self._group.outer_destination
            return False
        if word in words.LABEL_GROUPS:
            self._flow.labels.append(len(self._flow.words))
            return True
        return self._is_aside_word(word) or (starred and word not in ("cs", "ls"))

    def _is_aside_word(self, word: str) -> bool:
        if word in (*words.PROPERTIES, "creatim"):
            return self._group.destination == "info"
        return word in words.ASIDE_GROUPS or word == "info"

    def _set_group_state(self, word: str, number: int | None) -> bool:
        """Take a word that changes the group's state; tell whether it was one."""
        group = self._group
        match word:
            case "f":
                group.font = number or 0
            case "fs":
                group.size = number or 0
            case "cf":
                group.ink = number or 0
            case "uc":
                group.skip = max(0, number if number is not None else 1)
            case "plain":
                group.reset_emphasis()
            case _ if word in words.STYLE_WORDS:
                group.change_emphasis(word, number)
            case _:
                return self._set_rare_state(word, 1 if number is None else number)
        return True

    def _set_rare_state(self, word: str, number: int) -> bool:
        group = self._group
        match word:
            case "v":
                group.hidden = number != 0
            case "highlight" | "cb" | "chcbpat":
                group.paper = number
            case "deleted":
                group.deleted = number != 0
            case "field":
                group.field = RtfField()
            case "ffres" | "ffdefres":
                # An untouched checkbox has 25, followed by its default.
                group.field.ticked = number == 1
            case "yr" | "mo" | "dy" if group.destination == "creatim":
                self._date[word] = number % 10_000
            case _:
                return self._fonts.take_code_page_word(word, number)
        return True

    def _act_on_control_word(self, word: str, number: int | None) -> None:
        if word in _END_WORDS:
            self.ends += 1
            if self._is_text and not self._group.deleted:
                self._blocks.end_block(word, self._flow)
        elif word in _PARAGRAPH_STYLE_WORDS:
            self._style_paragraph(word, number or 0)
        elif self._bytes_to_drop and word in words.LETTER_WORDS:
            self._bytes_to_drop -= 1
        elif word in words.CHARACTER_WORDS:
            self._write_text(words.CHARACTER_WORDS[word])

    @property
    def _is_text(self) -> bool:
        """Whether text here belongs to the document."""
        return self._group.destination in words.TEXT_GROUPS

    def _style_paragraph(self, word: str, number: int) -> None:
        destination, flow = self._group.destination, self._flow
        if destination == "stylesheet":
            self._set_sheet_style(word, number)
        elif destination in _LABEL_TEXT_GROUPS:
            # The word styles the label, not the paragraph.
            return
        elif word == "pard":
            flow.reset_paragraph_style()
        elif word == "intbl":
            flow.in_row = True
        else:
            self._set_paragraph_style(word, number)

    def _set_paragraph_style(self, word: str, number: int) -> None:
        match word:
            case "s":
                self._flow.level = self._sheet.begin_style(number)
            case "ls":
                self._flow.list = number
            case "ilvl":
                self._flow.depth = min(max(0, number), _MAX_ITEM_DEPTH)
            case _ if 0 <= number < _MAX_HEADING_LEVEL:
                self._flow.level = number + 1

    def _set_sheet_style(self, word: str, number: int) -> None:
        if word == "s":
            self._sheet.begin_style(number)
        elif word == "outlinelevel" and 0 <= number < _MAX_HEADING_LEVEL:
            self._sheet.set_heading_level(number + 1)

    def _write_text(self, text: str) -> None:
        group = self._group
        if not self._is_text:
            self._write_aside(text, group.destination)
            return
        is_tiny = 0 < group.size <= words.MAX_TINY_HALF_POINTS
        if group.hidden or is_tiny or self._colours.is_hidden(group.ink, group.paper):
            self.hidden.append(text)
            return
        if group.deleted:
            self.hidden.append(text)
            return
        if not text:
            return
        shown = superscript(text) if group.looks & words.RAISED_WORDS else text
        self._flow.words.append((shown, group.emphasis_marks))
        if not self._flow.in_line and group.destination not in _LABEL_TEXT_GROUPS:
            self._comments.add_commented_text(shown)

    def _write_aside(self, text: str, destination: str) -> None:
        if destination in self._aside_writers:
            self._aside_writers[destination](text)
        elif destination in words.PROPERTIES:
            value = self.properties.get(destination, "") + text
            self.properties[destination] = value[:_MAX_PROPERTY_CHARS]
        elif destination.startswith(("atn", "atrf")):
            self._comments.set_comment_field(destination, text)

    def _extend_instruction(self, text: str) -> None:
        field = self._group.field
        field.instruction = (field.instruction + text)[:_MAX_INSTRUCTION_CHARS]

    def _try_begin_flow(self, word: str) -> bool:
        """Begin a separate flow; tell whether it is allowed here."""
        destination = self._group.destination
        is_allowed = (
            destination in ("", "shpinst", "do") if word in words.BOX_GROUPS else self._is_text
        )
        if is_allowed and len(self._outer_flows) < _MAX_SEPARATE_FLOWS:
            self._outer_flows.append(self._flow)
            self._flow = RtfFlow(in_line=word in words.ONE_LINE_GROUPS)
            # Word hides the marks of comments, and the comment is inside the hidden text.
            self._group.hidden = self._group.hidden and word != "annotation"
            return True
        return False

    def _end_flow(self, destination: str) -> None:
        if not self._outer_flows:
            return
        ended, self._flow = self._flow, self._outer_flows.pop()
        if destination in words.MARGINS:
            self._margins[words.MARGINS[destination]].append(ended.flow_line)
        elif destination == "annotation":
            self._comments.add_comment(ended.flow_line)
        elif destination == "footnote":
            self._add_footnote(ended.flow_line)
        else:
            self._blocks.end_flow(ended)

    def _add_footnote(self, line: str) -> None:
        if line:
            number = len(self._footnotes) + 1
            self._footnotes.append(f"[^{number}]: {disarm_pictures(' '.join(line.split()))}")
            self._flow.words.append((f"[^{number}]", ""))

    def _end_field(self, field: RtfField, begin: int) -> None:
        """Turn the result of a link field into a link, or write the result of an empty field."""
        text = markdown_writing.join_spans(self._flow.words[begin:])
        if not text.strip():
            self._flow.words.append((_empty_field_text(field), ""))
            return
        target = markdown_writing.field_target(field.instruction)
        if target:
            self._flow.words[begin:] = [
                (markdown_writing.markdown_link(text, target, self._base), "")
            ]


def _empty_field_text(field: RtfField) -> str:
    """Return the symbol or the checkbox that a field without text shows."""
    if "FORMCHECKBOX" in field.instruction:
        return "[x]" if field.ticked else "[ ]"
    return symbols.word_field_symbol(field.instruction)
