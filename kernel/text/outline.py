"""The blocks of a page's markdown, each with its place in it: headings, lists, tables, code."""

import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec

BlockKind: TypeAlias = Literal["heading", "paragraph", "list", "table", "code", "quote"]
_FENCE: Final = re.compile(r"(`{3,})\s*([^\s`]*)[^`]*\Z")
_STARTS: Final[tuple[tuple[BlockKind, re.Pattern[str]], ...]] = (
    ("heading", re.compile(r"#{1,6} ")),
    ("list", re.compile(r"(?:[-*+]|\d{1,9}[.)]) ")),
    ("table", re.compile(r"\|")),
    ("quote", re.compile(r">")),
)
_USUAL: Final[BlockKind] = "paragraph"


class PageBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One block: ``content[start:end]`` is its markdown.

    ``level`` is that of a heading, else 0; ``language`` is that of code where it is named.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    language: str | None = None


def page_blocks(content: str) -> tuple[PageBlock, ...]:
    r"""Return the blocks of markdown in their order; blank lines between them belong to none.

    A list is one block, also with blank lines between its items, and so is code.

    >>> [(block.kind, block.start, block.end) for block in page_blocks("# Tides\n\nTwice a day.")]
    [('heading', 0, 7), ('paragraph', 9, 21)]
    """
    blocks: list[PageBlock] = []
    for start, end in _stretches(content):
        block = _block(content, start, end)
        before = blocks[-1] if blocks else None
        goes_on = block.kind == "list" or content[start].isspace()
        if before is not None and before.kind == "list" and goes_on:
            blocks[-1] = msgspec.structs.replace(before, end=end)
        else:
            blocks.append(block)
    return tuple(blocks)


def _stretches(content: str) -> Iterator[tuple[int, int]]:
    """Yield where lines without a blank one between them start and end; code may hold some."""
    start, end, place, fence = -1, 0, 0, ""
    for line in content.splitlines(keepends=True):
        text = line.strip()
        if text:
            start = place if start < 0 else start
            end = place + len(line.rstrip())
            fence = _fence_after(fence, text)
        elif not fence and start >= 0:
            yield start, end
            start = -1
        place += len(line)
    if start >= 0:
        yield start, end


def _fence_after(fence: str, text: str) -> str:
    """Return the fence that is open after a line."""
    if fence:
        return "" if text == fence else fence
    opening = _FENCE.match(text)
    return opening[1] if opening is not None else ""


def _block(content: str, start: int, end: int) -> PageBlock:
    first = content[start:end].lstrip().partition("\n")[0]
    code = _FENCE.match(first)
    if code is not None:
        return PageBlock(kind="code", start=start, end=end, language=code[2] or None)
    kind = next((kind for kind, pattern in _STARTS if pattern.match(first)), _USUAL)
    level = len(first) - len(first.lstrip("#")) if kind == "heading" else 0
    return PageBlock(kind=kind, start=start, end=end, level=level)
