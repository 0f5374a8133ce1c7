"""Pieces of markdown that untrusted text cannot break out of."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from webseam.adapters.pages.safe_text import absolute_url
from webseam.ports.text import disarm_pictures

_TICKS_PATTERN: Final = re.compile(r"`{3,}")
_FIELD_LINK_PATTERN: Final = re.compile(
    r'\s*HYPERLINK\s+(?:"([^"\\]{1,2000})"|([^"\s\\]{1,2000}))', re.IGNORECASE
)
_FIELD_BOOKMARK_PATTERN: Final = re.compile(r'\\l\s{1,9}"([^"\\]{1,500})"')
_PARENTHESES_TABLE: Final = str.maketrans({"(": "%28", ")": "%29"})


def code_block(text: str, language: str = "") -> str:
    r"""Return ``text`` as a code block whose fence is longer than any in the text.

    >>> code_block("a\n", "py")
    '```py\na\n```'
    """
    longest = max((len(ticks) for ticks in _TICKS_PATTERN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def join_spans(spans: Iterable[tuple[str, str]]) -> str:
    """Join texts with the marks of their emphasis; neighbours with the same marks share them.

    >>> join_spans([("so ", ""), ("it", "**"), (" ", ""), ("is", "**")])
    'so **it is**'
    """
    written: list[tuple[str, str]] = []
    for text, marks in spans:
        if text:
            # Blanks take the emphasis of the text before them.
            written.append((text, written[-1][1] if written and text.isspace() else marks))
    groups = groupby(written, key=itemgetter(1))
    texts = ((marks, "".join(text for text, _ in group)) for marks, group in groups)
    return "".join(emphasise_markdown(text, marks) for marks, text in texts)


def emphasise_markdown(text: str, marks: str) -> str:
    r"""Return text with marks around the words of each line; a line with ``*`` or ``~`` stays.

    >>> emphasise_markdown(" so \nit is", "**")
    ' **so** \n**it is**'
    >>> emphasise_markdown("2 * 3", "*")
    '2 * 3'
    """
    lines = (_emphasise_line(line, marks) for line in text.split("\n"))
    return "\n".join(lines) if marks else text


def _emphasise_line(line: str, marks: str) -> str:
    words = line.strip()
    if not words or "*" in words or "~" in words:
        return line
    start, _, end = line.partition(words)
    return f"{start}{marks}{words}{marks[::-1]}{end}"


def markdown_list_item(mark: str, text: str) -> str:
    r"""Return an item of a list; its further lines are indented so that they stay in it.

    >>> markdown_list_item("  - ", "so\nit is")
    '  - so\n    it is'
    """
    return mark + text.replace("\n", f"\n{' ' * len(mark)}")


def markdown_table_row(cells: Sequence[str]) -> str:
    r"""Return one row of a table; bars and line breaks in a cell stay in the cell.

    >>> markdown_table_row(["a|b", "c\nd"])
    '| a\\|b | c d |'
    """
    is_plain = _is_plain_table_row("|".join(cells), len(cells))
    return f"| {' | '.join(cells if is_plain else map(_escape_table_cell, cells))} |"


def _is_plain_table_row(joined: str, count: int) -> bool:
    """Tell fast whether the cells of a row need no escaping, as in most rows."""
    if joined.count("|") != count - 1 or "![" in joined or "<" in joined:
        return False
    if " ".join(joined.split()) != joined:
        return False
    return "| " not in joined and " |" not in joined


def _escape_table_cell(text: str) -> str:
    return disarm_pictures(" ".join(text.split())).replace("|", "\\|")


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first row is the head; short rows get empty cells."""
    width = max((len(cells) for cells in rows), default=0)
    if not width:
        return ""
    lines = [markdown_table_row([*cells, *[""] * (width - len(cells))]) for cells in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def join_blocks(blocks: Iterable[tuple[str, bool]]) -> str:
    r"""Join blocks by blank lines, and list items by line breaks; the flag marks an item.

    >>> join_blocks([("so", False), ("- it", True), ("", False), ("- is", True)])
    'so\n\n- it\n- is'
    """
    pieces: list[str] = []
    was_item = False
    for text, is_item in blocks:
        if not text:
            continue
        if pieces:
            pieces.append("\n" if was_item and is_item else "\n\n")
        pieces.append(text)
        was_item = is_item
    return "".join(pieces)


def leading_heading(content: str) -> str:
    """Return the text of the heading that markdown begins with, empty for none."""
    line = content.partition("\n")[0]
    return line.lstrip("#").strip() if line.startswith("#") else ""


class Cell(NamedTuple):
    """The text of a cell on one line, without and with the marks of its emphasis."""

    plain: str
    marked: str


def make_cell(paragraphs: Iterable[Iterable[tuple[str, str]]]) -> Cell:
    """Return a cell of paragraphs, each given as texts with the marks of their emphasis.

    >>> make_cell([[("so ", ""), ("it", "**")], [("is", "")]])
    Cell(plain='so it is', marked='so **it** is')
    """
    spans_by_paragraph = [list(spans) for spans in paragraphs]
    plain = (" ".join("".join(text for text, _ in spans).split()) for spans in spans_by_paragraph)
    marked = (" ".join(join_spans(spans).split()) for spans in spans_by_paragraph)
    return Cell(" ".join(filter(None, plain)), " ".join(filter(None, marked)))


def emphasised_table(rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table with the emphasis in its cells, but not in the head.

    A table in which every cell is emphasised is shown without. Empty rows are left out.
    """
    rows = [cells for cells in rows if any(cell.plain for cell in cells)]
    filled = [cell for cells in rows[1:] for cell in cells if cell.plain]
    if all(cell.plain != cell.marked and cell.marked.strip("*~") == cell.plain for cell in filled):
        return markdown_table([[cell.plain for cell in cells] for cells in rows])
    head = [[cell.plain for cell in cells] for cells in rows[:1]]
    return markdown_table([*head, *([cell.marked for cell in cells] for cells in rows[1:])])


def markdown_link(text: str, url: str, base: str = "") -> str:
    r"""Return a link with an absolute URL; the text alone when the URL is unsafe or empty.

    >>> markdown_link("a]b", "/x y", "https://e.org/")
    '[a\\]b](https://e.org/x%20y)'
    >>> markdown_link("x", "javascript:alert(1)")
    'x'
    """
    target = absolute_url(url, base) if url.strip() else None
    label = disarm_pictures(text).replace("]", "\\]")
    return f"[{label}]({target.translate(_PARENTHESES_TABLE)})" if target else disarm_pictures(text)


class OpenField:
    """A field of Word that is open: its instruction, and the index at which its result begins."""

    def __init__(self) -> None:
        self.instruction = ""
        self.begin: int | None = None


def field_target(instruction: str) -> str:
    r"""Return the target of a Word field that is a link, empty for a bookmark or another field.

    >>> field_target(' HYPERLINK "https://e.org/" ')
    'https://e.org/'
    >>> field_target(r'HYPERLINK \l "here"')
    ''
    >>> field_target(r' HYPERLINK "https://e.org/" \l "there" ')
    'https://e.org/#there'
    """
    link = _FIELD_LINK_PATTERN.match(instruction)
    if link is None:
        return ""
    target: str = link[1] or link[2]
    bookmark = _FIELD_BOOKMARK_PATTERN.search(instruction, link.end())
    return f"{target}#{bookmark[1]}" if bookmark and "#" not in target else target
