"""View a page as blocks and sentences, with the wrapped lines of a paragraph joined.

The judge of claims compares a claim with the whole sentences around its quote. An answer without a
model consists of such sentences, list items and table rows.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias

import msgspec

from .normalisation import blank_comments

BlockKind: TypeAlias = Literal["heading", "paragraph", "item", "row", "code"]

# No line of prose is wrapped at a greater width.
_MAX_WRAP_CHARS = 200
_ITEM_PATTERN = re.compile(r"[ \t>]*(?:[-*+\u2022\u25aa\u25cf]|\d{1,3}[.)])[ \t]+")
_HEADING_MARK_PATTERN = re.compile(r"[ \t]*#{1,6}[ \t]+")
_HEADING_PATTERN = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_QUOTED_LINE_PATTERN = re.compile(r"(?:\A|\n)[ \t]*>[ \t>]*")
_RULE_CHARACTERS = frozenset(" \t\r\n|:-")
# Words that end with a stop inside a sentence, in English, German, French and Spanish.
_ABBREVIATION_PATTERN = re.compile(
    r"mrs?|ms|dr|prof|st|sr|jr|vs|inc|ltd|co|corp|ca|approx|eds?|al|gen|sen|rep"
    r"|gov|capt|col|lt|sgt|rev|hon|e\.g|i\.e|z\.b|d\.h|u\.a|bzw|evtl|ggf|inkl|str|hr|fr|mme|mlle"
    r"|av|ej|uds?|sra|srta|dra|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|u\.[skn]|d\.c"
    r"|[ap]\.m|ph\.d|est|dept|univ|[a-hj-z]"
)
# These are abbreviations before a number alone: "No. 5".
_NUMBERED_PATTERN = re.compile(r"no|nr|figs?|vol|pp|art")
_STOP_PATTERN = re.compile(
    r"(?<![.!?\u2026])[.!?\u2026]++(?:[\"'\u201c\u201d\u2019\u00bb)\]]|\s\u00bb)*+"
    r"(?:\s?\[[^\]\s]{1,20}\]){0,9}+\s+|(?<=[\u3002\uff01\uff1f])"
)
_OPENING_PATTERN = re.compile(
    r"[\"'\u201c\u2018\u201e\u00ab(\[*_\u00bf\u00a1-]{0,20}+\s?[^\W_a-z\u00df-\u00f6\u00f8-\u00ff]"
)
_MAX_LIST_NUMBER_DIGITS = 2


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a page: a heading, a paragraph, a list item, a table row or a piece of code.

    ``intro`` is the line above that ends with a colon, ``columns`` the header of the table.
    """

    kind: BlockKind
    start: int
    end: int
    headings: tuple[str, ...] = ()
    intro: str = ""
    columns: str = ""


class QuoteContext(msgspec.Struct, frozen=True, kw_only=True):
    """A quote, the whole sentences that it touches, and those before and after them."""

    quote: str = ""
    sentences: tuple[str, ...]
    before: str = ""
    after: str = ""
    heading: str = ""


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """A page and its blocks, in order; ``title`` is its first heading."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""

    def block_text(self, block: Block) -> str:
        """Return a block on one line; a table row with the names of its columns."""
        raw = self.text[block.start : block.end]
        return _name_cells(block.columns, raw) if block.columns else join_lines(raw)

    def quote_context(self, start: int, end: int) -> QuoteContext:
        """Return the whole sentences that ``text[start:end]`` touches, and their neighbours."""
        first = bisect_right(self.blocks, start, key=lambda block: block.end)
        last = bisect_right(self.blocks, end - 1, key=lambda block: block.start)
        quoted = self.blocks[first:last]
        spans = [(block, span) for block in quoted for span in block_sentences(self.text, block)]
        before = [span for _, span in spans if span[1] <= start + 1]
        after = [span for _, span in spans if span[0] >= end - 1]
        sentences = [
            text
            for block, span in spans
            if span[1] > start + 1 and span[0] < end - 1
            for text in self._sentence_forms(block, span)
        ]
        headings = quoted[0].headings if quoted else ()
        return QuoteContext(
            quote=self.text[start:end],
            sentences=tuple(sentences),
            before=self._line(before[-1]) if before else quoted[0].intro if quoted else "",
            after=self._line(after[0]) if after else self._next_sentence(last),
            heading=headings[-1] if headings else "",
        )

    def _line(self, span: tuple[int, int]) -> str:
        return join_lines(self.text[span[0] : span[1]])

    def _sentence_forms(self, block: Block, span: tuple[int, int]) -> Iterator[str]:
        """Yield a sentence; a table row with and without the names of its columns."""
        if block.kind == "row":
            yield from dict.fromkeys((self._line(span), self.block_text(block)))
        elif _is_speech_open(self.text[block.start : span[0]]):
            # The mark that opened somebody's speech belongs to each of its sentences.
            yield f"\u201c {self._line(span)}"
        else:
            yield self._line(span)

    def _next_sentence(self, number: int) -> str:
        following = (block for block in self.blocks[number : number + 3] if block.kind != "heading")
        spans = (span for block in following for span in block_sentences(self.text, block))
        return self._line(next(spans, (0, 0)))


def view_page(text: str) -> PageView:
    """Return the blocks of a page of markdown or plain text."""
    parser = _BlockParser()
    for line in blank_comments(text, " ").splitlines(keepends=True):
        parser.read_line(line)
    parser.close_block()
    return PageView(text=text, blocks=tuple(parser.blocks), title=parser.title)


class _BlockParser:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self._offset = 0
        self._headings: list[tuple[int, str]] = []
        self._kind: BlockKind | None = None
        self._start = 0
        self._lines: list[str] = []
        self._intro = ""
        self._columns = ""
        self._in_code = False

    def read_line(self, line: str) -> None:
        """Add a line to the open block, or close that block and open another."""
        start, self._offset = self._offset, self._offset + len(line)
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            self.close_block()
            self._in_code = not self._in_code
        elif self._in_code:
            self._add_line("code", line, start)
        elif not bare:
            self.close_block()
            self._columns = ""
        else:
            self._read_prose(line, bare, start)

    def _read_prose(self, line: str, bare: str, start: int) -> None:
        heading = _HEADING_PATTERN.match(bare)
        if heading is not None:
            self._add_heading(len(heading[1]), bare[heading.end() :].rstrip("# \t"), line, start)
        elif bare.startswith("|") and bare.count("|") > 1:
            header = self._lines[0] if self._kind == "row" else ""
            self.close_block()
            if _RULE_CHARACTERS.issuperset(bare):
                # The row above a rule names the columns of the rows below it.
                self._columns = header
            else:
                self._add_line("row", line, start)
        elif _ITEM_PATTERN.match(line):
            self.close_block()
            self._add_line("item", line, start)
        else:
            continues_item = self._kind == "item" and line[0].isspace()
            self._add_line("item" if continues_item else "paragraph", line, start)

    def close_block(self) -> None:
        """Finish the open block, if there is one."""
        if self._kind is None or not self._lines:
            return
        raw, is_paragraph = "".join(self._lines), self._kind == "paragraph"
        self.blocks.append(
            Block(
                kind=self._kind,
                start=self._start,
                end=self._start + len(raw.rstrip()),
                headings=tuple(text for _, text in self._headings),
                intro="" if is_paragraph else self._intro,
                columns=self._columns if self._kind == "row" else "",
            )
        )
        if is_paragraph:
            text = join_lines(raw)
            self._intro = text if text.endswith(":") else ""
        self._kind = None

    def _add_line(self, kind: BlockKind, line: str, start: int) -> None:
        if kind != self._kind:
            self.close_block()
            self._kind, self._start, self._lines = kind, start, []
        self._lines.append(line)

    def _add_heading(self, level: int, text: str, line: str, start: int) -> None:
        self.close_block()
        self._headings = [pair for pair in self._headings if pair[0] < level]
        self._intro = self._columns = ""
        self._add_line("heading", line, start)
        self.close_block()
        self._headings.append((level, text))
        self.title = self.title or text


def block_sentences(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a block; a row or code is one sentence."""
    if block.kind in ("row", "code"):
        yield block.start, block.end
        return
    raw = text[block.start : block.end]
    mark = (_HEADING_MARK_PATTERN if block.kind == "heading" else _ITEM_PATTERN).match(raw)
    # Every replacement keeps the length, so that offsets stay.
    flat = _QUOTED_LINE_PATTERN.sub(lambda quoted: " " * len(quoted[0]), raw)
    flat = flat.replace("\n", " ").replace("\r", " ")
    start = mark.end() if mark else 0
    for end in (*_deliberate_line_ends(raw), len(raw)):
        for first, last in split_sentences(flat[start:end]):
            yield block.start + start + first, block.start + start + last
        start = max(start, end)


def _deliberate_line_ends(raw: str) -> Iterator[int]:
    """Yield the ends of lines that no wrapping made: the next word would have fitted."""
    lines = raw.split("\n")
    width = max(map(len, lines))
    offset = 0
    for line, following in pairwise(lines):
        offset += len(line) + 1
        next_text = following.lstrip(" \t>")
        next_word = next_text.split(None, 1)[0] if next_text else ""
        is_wrapped = width <= _MAX_WRAP_CHARS and len(line.rstrip()) + 1 + len(next_word) > width
        goes_on = next_text[:1].islower() and not line.rstrip().endswith((".", "!", "?", ":"))
        if not is_wrapped and not goes_on:
            yield offset


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the start and end of each sentence of one line; in doubt it stays one sentence.

    >>> text = "Dr. Lee left. No. 5 stays."
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['Dr. Lee left.', 'No. 5 stays.']
    """
    spans, start = [], 0
    for stop in _STOP_PATTERN.finditer(text):
        last_word = max(start, stop.start() - _MAX_WRAP_CHARS)
        following = text[stop.end() : stop.end() + 1]
        if _is_abbreviation(text[last_word : stop.start()], stop[0], following):
            continue
        if stop[0].strip() and not _OPENING_PATTERN.match(text, stop.end()):
            continue
        spans.append((start, stop.end()))
        start = stop.end()
    spans.append((start, len(text)))
    stripped = [
        (end - len(text[begin:end].lstrip()), begin + len(text[begin:end].rstrip()))
        for begin, end in spans
    ]
    return [(begin, end) for begin, end in stripped if begin < end]


def _is_abbreviation(before: str, stop: str, following: str) -> bool:
    """Tell whether a stop follows an abbreviation, an initial, or the number of a list item."""
    if not stop.startswith("."):
        return False
    word = before.rsplit(None, 1)[-1:] or [""]
    bare = word[0].strip("\"'(\u201c\u201e[*_").lower()
    is_list_number = bare.isdigit() and len(bare) <= _MAX_LIST_NUMBER_DIGITS and bare == before
    is_numbered = following.isdigit() and _NUMBERED_PATTERN.fullmatch(bare) is not None
    return is_list_number or is_numbered or _ABBREVIATION_PATTERN.fullmatch(bare) is not None


def join_lines(raw: str) -> str:
    """Return a text on one line, without the marks of a quoted line or a list item."""
    text = " ".join(_QUOTED_LINE_PATTERN.sub(" ", raw).split())
    mark = _ITEM_PATTERN.match(text)
    return text[mark.end() :] if mark else text


def _name_cells(columns: str, row: str) -> str:
    names, cells = (
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in (columns, row)
    )
    return "; ".join(
        f"{name}: {cell}" if name and number else cell
        for number, (name, cell) in enumerate(zip(names, cells, strict=False))
    )


def _is_speech_open(text: str) -> bool:
    low = text.count("\u201e")
    high, right = text.count("\u201c"), text.count("\u201d")
    # German closes with the mark that opens in English.
    is_curly_open = low > high + right if low else high > right
    straight = len(re.findall(r"(?<!\d)\"", text))
    return is_curly_open or text.count("\u00ab") > text.count("\u00bb") or straight % 2 == 1
