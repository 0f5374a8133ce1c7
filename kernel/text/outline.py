"""Split a page's markdown into blocks with offsets: headings, lists, tables, code."""

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

BlockKind: TypeAlias = Literal["heading", "paragraph", "list", "table", "code", "quote"]
_CODE_FENCE_PATTERN: Final = re.compile(r"(`{3,}+)\s*+([^\s`]*+)[^`]*+\Z")
_BLOCK_STARTS: Final[tuple[tuple[BlockKind, re.Pattern[str]], ...]] = (
    ("heading", re.compile(r"#{1,6} ")),
    ("list", re.compile(r"(?:[-*+]|\d{1,9}[.)]) ")),
    ("table", re.compile(r"\|")),
    ("quote", re.compile(r">")),
)
_DEFAULT_KIND: Final[BlockKind] = "paragraph"


class PageBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One block: ``content[start:end]`` is its markdown.

    ``level`` is set for a heading, else 0; ``language`` is set for code that names it.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    language: str | None = None


def page_blocks(content: str) -> tuple[PageBlock, ...]:
    r"""Return the blocks of markdown in order, without the blank lines between them.

    A list is one block, even with blank lines between its items, and so is code.

    >>> [(block.kind, block.start, block.end) for block in page_blocks("# Tides\n\nTwice a day.")]
    [('heading', 0, 7), ('paragraph', 9, 21)]
    """
    blocks: list[PageBlock] = []
    for start, end in _markdown_block_spans(content):
        block = _make_markdown_block(content, start, end)
        previous = blocks[-1] if blocks else None
        continues_list = block.kind == "list" or content[start].isspace()
        if previous is not None and previous.kind == "list" and continues_list:
            blocks[-1] = msgspec.structs.replace(previous, end=end)
        else:
            blocks.append(block)
    return tuple(blocks)


def _markdown_block_spans(content: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of lines without a blank one; code may have blank lines."""
    start, end, offset, fence = -1, 0, 0, ""
    for line in content.splitlines(keepends=True):
        text = line.strip()
        if text:
            start = offset if start < 0 else start
            end = offset + len(line.rstrip())
            fence = _open_markdown_fence(fence, text)
        elif not fence and start >= 0:
            yield start, end
            start = -1
        offset += len(line)
    if start >= 0:
        yield start, end


def _open_markdown_fence(fence: str, text: str) -> str:
    """Return the code fence that is open after a line; empty if none is."""
    if fence:
        return "" if text == fence else fence
    opening = _CODE_FENCE_PATTERN.match(text)
    return opening[1] if opening is not None else ""


def _make_markdown_block(content: str, start: int, end: int) -> PageBlock:
    line = content[start:end].lstrip().partition("\n")[0]
    code = _CODE_FENCE_PATTERN.match(line)
    if code is not None:
        return PageBlock(kind="code", start=start, end=end, language=code[2] or None)
    kind = next((kind for kind, pattern in _BLOCK_STARTS if pattern.match(line)), _DEFAULT_KIND)
    level = len(line) - len(line.lstrip("#")) if kind == "heading" else 0
    return PageBlock(kind=kind, start=start, end=end, level=level)
