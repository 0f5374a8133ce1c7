"""View a page as blocks: headings, paragraphs, items, rows and code, each with its place.

All of it is structure, and no language: the marks of markdown say what stands above a block.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from .printing import blank_comments, print_code, print_text
from .sentences import page_words, split_sentences

BlockKind: TypeAlias = Literal[
    "heading", "drawn_heading", "paragraph", "item", "header", "row", "code"
]
# What a claim may be made of; headings and the names of columns are in its frame alone.
CLAIM_BLOCKS: tuple[BlockKind, ...] = ("paragraph", "item", "row", "code")

# Plain text has marks of its own: dashes, triangles, ticks.
_ITEM_PATTERN = re.compile(
    r"([ \t>]*)(?:[-*+:\u00b7\u2013\u2014\u2022\u2023\u2043\u25a0-\u25ff\u2610-\u2612\u2713-\u2718"
    r"\u274c\u2794\u27a2\u27a4]|\(?\d{1,3}[.)])[ \t]+(?=\S)"
)
_HEADING_PATTERN = re.compile(r"(#{1,6})[ \t]+(?=\S)")
# A line in bold alone is a heading that the author drew.
_BOLD_LINE_PATTERN = re.compile(r"(\*\*|__)(?=\S)[^*_\n]{1,150}\1:?")
_BOLD_LEVEL = 7
_UNDERLINE_PATTERN = re.compile(r"={3,}|-{3,}")
_QUOTED_LINE_PATTERN = re.compile(r"(?:\A|\n)[ \t]*>[ \t>]*")
_RULE_CHARACTERS = frozenset(" \t|:-")
_CELL_PATTERN = re.compile(r"(?<!\\)\|")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a page. Blocks with the same ``run`` are one paragraph, list or table.

    ``intro`` is the index of the paragraph right above the list, the table or the code; above a
    paragraph it ends with a colon. ``parents`` are the indexes of the items that it stands in.
    ``header`` are the rows above the rule of the table, ``section`` is what stands in the first
    column for several rows.
    """

    kind: BlockKind
    start: int
    end: int
    run: int
    headings: tuple[str, ...] = ()
    intro: int | None = None
    parents: tuple[int, ...] = ()
    header: str = ""
    section: str = ""


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """A page and its blocks, in order; ``title`` is its first heading, ``words`` its words."""

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    words: frozenset[str] = frozenset()

    def print_range(self, block: Block, start: int, end: int) -> str:
        """Return a stretch of a block as it is printed."""
        raw = self.text[start:end]
        if block.kind == "code":
            return print_code(raw)
        return print_row(raw) if block.kind in ("row", "header") else print_text(raw)

    def print_block(self, index: int) -> str:
        """Return a block as it is printed."""
        block = self.blocks[index]
        return self.print_range(block, block.start, block.end)

    def touched_blocks(self, start: int, end: int) -> range:
        """Return the indexes of the blocks that a stretch of the page touches."""
        first = bisect_right(self.blocks, start, key=lambda block: block.end)
        last = bisect_right(self.blocks, end - 1, key=lambda block: block.start)
        return range(first, last)

    def units(self, index: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each sentence of a paragraph; another block is one unit."""
        block = self.blocks[index]
        if block.kind != "paragraph":
            yield block.start, block.end
            return
        raw = self.text[block.start : block.end]
        # Every replacement keeps the length, so that offsets stay.
        flat = _QUOTED_LINE_PATTERN.sub(lambda mark: " " * len(mark[0]), raw).replace("\n", " ")
        for first, last in split_sentences(flat, self.words):
            yield block.start + first, block.start + last


def print_row(raw: str) -> str:
    """Return a row of a table as it is printed: its cells between bars."""
    return " | ".join(row_cells(raw))


def row_cells(raw: str) -> tuple[str, ...]:
    """Return the printed cells of a row."""
    bare = raw.strip().removeprefix("|")
    cells = _CELL_PATTERN.split(bare)
    if len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    return tuple(map(print_text, cells))


def view_page(text: str) -> PageView:
    """Return the blocks of a page of markdown or plain text."""
    parser = _BlockParser()
    for line in blank_comments(text, " ").splitlines(keepends=True):
        parser.read_line(line)
    parser.close_block()
    blocks = tuple(parser.blocks)
    return PageView(text=text, blocks=blocks, title=parser.title, words=page_words(text))


class _BlockParser:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title = ""
        self._offset = 0
        self._headings: list[tuple[int, str]] = []
        self._kind: BlockKind | None = None
        self._lines: list[tuple[int, str]] = []
        # The open items: how far each is indented, and its index.
        self._items: list[tuple[int, int]] = []
        self._sibling: Block | None = None
        self._is_introduced = False
        self._fence = ""

    def read_line(self, line: str) -> None:
        """Add a line to the open block, or close that block and open another."""
        start, self._offset = self._offset, self._offset + len(line)
        bare = line.strip()
        if self._fence:
            if bare.startswith(self._fence):
                self._fence = ""
                self.close_block()
            else:
                self._lines.append((start, line))
        elif bare.startswith(("```", "~~~")):
            self.close_block()
            self._leave_items(_indentation(line))
            self._open_block("code")
            self._fence = bare[:3]
        elif not bare:
            self.close_block()
        else:
            self._read_prose(line, bare, start)

    def _read_prose(self, line: str, bare: str, start: int) -> None:
        heading = _HEADING_PATTERN.match(bare)
        item = _ITEM_PATTERN.match(line)
        if heading is not None:
            self._open_block("heading")
            self._add_heading(len(heading[1]), bare[heading.end() :].rstrip("# \t"), start, line)
        elif self._kind == "paragraph" and len(self._lines) == 1 and _is_underline(bare):
            self._add_heading(1 if bare[0] == "=" else 2, self._lines[0][1], *self._lines[0])
        elif bare.startswith("|") and bare.count("|") > 1:
            if self._kind != "row":
                self.close_block()
                self._leave_items(_indentation(line))
                self._open_block("row")
            self._lines.append((start, line))
        elif item is not None:
            self.close_block()
            self._leave_items(_indentation(item[1]))
            self._open_block("item")
            self._lines.append((start, line))
        elif self._kind in ("paragraph", "item"):
            # A line without a mark goes on with the paragraph or the item above it.
            self._lines.append((start, line))
        elif _BOLD_LINE_PATTERN.fullmatch(bare):
            self._open_block("drawn_heading")
            self._add_heading(_BOLD_LEVEL, bare, start, line)
        else:
            self._leave_items(_indentation(line))
            self._open_block("paragraph")
            self._lines.append((start, line))

    def _open_block(self, kind: BlockKind) -> None:
        self.close_block()
        self._kind = kind

    def close_block(self) -> None:
        """Finish the open block, if there is one."""
        kind, lines = self._kind, self._lines
        self._kind, self._lines = None, []
        if kind is None or not lines:
            return
        if kind == "row":
            self._add_table(lines)
        else:
            self._add_block(kind, lines)
        if kind == "item":
            mark = _ITEM_PATTERN.match(lines[0][1])
            indent = _indentation(mark[1]) if mark else 0
            self._items.append((indent, len(self.blocks) - 1))
        elif kind in ("heading", "drawn_heading"):
            self._items = []

    def _add_block(
        self,
        kind: BlockKind,
        lines: list[tuple[int, str]],
        *,
        run: int | None = None,
        intro: int | None = None,
        header: str = "",
        section: str = "",
    ) -> None:
        parents = tuple(index for _, index in self._items)
        if kind == "paragraph" and self._is_introduced:
            intro = self._intro_above(parents)
        elif kind in ("item", "code"):
            intro = self._intro_above(parents)
            above = self.blocks[parents[-1]] if parents else None
            relative = (self._sibling or above) if kind == "item" else None
            if intro is None and relative is not None:
                run, intro = relative.run, relative.intro
        last_line = lines[-1][1].rstrip()
        # A line that ends with a colon introduces a paragraph, too.
        self._is_introduced = last_line.rstrip("*_").endswith((":", "\uff1a"))
        start, end = lines[0][0], lines[-1][0] + len(last_line)
        self.blocks.append(
            Block(
                kind=kind,
                start=start + len(lines[0][1]) - len(lines[0][1].lstrip()),
                end=end,
                run=len(self.blocks) if run is None else run,
                headings=tuple(text for _, text in self._headings),
                intro=intro,
                parents=parents,
                header=header,
                section=section,
            )
        )

    def _intro_above(self, parents: tuple[int, ...]) -> int | None:
        """Return the index of the paragraph right above, if it is as deep in the list."""
        last = self.blocks[-1] if self.blocks else None
        if last is None or last.kind != "paragraph" or last.parents != parents:
            return None
        return len(self.blocks) - 1

    def _add_table(self, lines: list[tuple[int, str]]) -> None:
        rules = [number for number, (_, line) in enumerate(lines) if _is_table_rule(line)]
        # The rows above the first rule name the columns of the rows below it.
        header_rows = rules[0] if rules else 0
        header = " / ".join(print_row(line) for _, line in lines[:header_rows])
        intro = self._intro_above(tuple(index for _, index in self._items))
        run = len(self.blocks)
        group = first_cell = ""
        for number, (start, line) in enumerate(lines):
            if number in rules:
                continue
            cells = row_cells(line)
            kind: BlockKind = "header" if number < header_rows else "row"
            is_group = kind == "row" and len(cells) > 1 and not any(cells[1:])
            carried = first_cell if not cells[0] else ""
            section = "" if is_group else " / ".join(filter(None, (group, carried)))
            self._add_block(
                kind, [(start, line)], run=run, intro=intro, header=header, section=section
            )
            if is_group:
                group, first_cell = cells[0], ""
            elif kind == "row" and cells[0]:
                first_cell = cells[0]

    def _add_heading(self, level: int, text: str, start: int, line: str) -> None:
        self._headings = [pair for pair in self._headings if pair[0] < level]
        printed = print_text(text)
        self._kind = "drawn_heading" if level == _BOLD_LEVEL else "heading"
        self._lines = [(start, line)]
        self.close_block()
        self._headings.append((level, printed))
        self.title = self.title or printed

    def _leave_items(self, indent: int) -> None:
        left = [index for depth, index in self._items if depth >= indent]
        self._items = [pair for pair in self._items if pair[0] < indent]
        self._sibling = self.blocks[left[0]] if left else None


def _indentation(text: str) -> int:
    expanded = text.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" \t>")) if expanded.strip(" \t>") else len(expanded)


def _is_underline(bare: str) -> bool:
    return _UNDERLINE_PATTERN.fullmatch(bare) is not None


def _is_table_rule(line: str) -> bool:
    return "-" in line and _RULE_CHARACTERS.issuperset(line.strip())
