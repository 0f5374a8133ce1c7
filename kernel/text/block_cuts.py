"""What a cut inside a block of markdown needs: the end of a fence, the head of a table.

A fence that is cut is closed before the cut and opened again after it; the rows of a table that is
cut go on under its head. Both are added to what is shown; no offset of the text counts them.
"""

import re

import msgspec

from webseam.ports.text import lazy_pattern

# Fences of lists and quotes are indented.
_FENCE_PATTERN = lazy_pattern(r"^([ \t>]{0,40}+)(`{3,}+|~{3,}+)([^`\n]{0,200}+)$", re.MULTILINE)
_ROW_PATTERN = lazy_pattern(r"^[ \t>]{0,40}+\|", re.MULTILINE)
_RULE_PATTERN = lazy_pattern(r"^[ \t>]{0,40}+\|[ \t:|]{0,200}+-[ \t:|-]{0,2000}+$", re.MULTILINE)
_FENCE_END_PATTERN = lazy_pattern(r"\n?[ \t>]{0,40}+(?:`{3,}+|~{3,}+)")


class BlockCut(msgspec.Struct, frozen=True):
    """What is added at a cut.

    ``close`` ends the block before the cut, ``lead`` begins it again after it. ``head`` is where a
    block begins whose first lines the cut would part; None elsewhere.
    """

    close: str = ""
    lead: str = ""
    head: int | None = None


def find_block_cut(text: str, offset: int) -> BlockCut:
    r"""Return what a cut at an offset needs.

    >>> find_block_cut("```py\na = 1\nb = 2\n```", 12)
    BlockCut(close='```', lead='```py\n', head=None)
    >>> find_block_cut("| a |\n| - |\n| 1 |\n| 2 |", 18)
    BlockCut(close='', lead='| a |\n| - |\n', head=None)
    """
    opener = _open_fence(text, offset)
    if opener is None:
        return _cut_table(text, offset)
    if offset <= opener.end() + 1:
        return BlockCut(head=opener.start())
    line_end = "" if text[offset - 1] == "\n" else "\n"
    return BlockCut(close=f"{line_end}{opener[1]}{opener[2]}", lead=f"{opener[0]}\n")


def strip_fence_end(text: str, offset: int) -> str:
    """Return a text without the end of a fence that was added at an offset."""
    return text[:offset] if _FENCE_END_PATTERN.fullmatch(text, offset) else text


def _open_fence(text: str, offset: int) -> re.Match[str] | None:
    """Return the first line of the fence around an offset; None outside of fences."""
    opener: re.Match[str] | None = None
    for fence in _FENCE_PATTERN.finditer(text):
        if fence.start() >= offset:
            break
        if opener is None:
            opener = fence
        elif not fence[3].strip() and fence[2].startswith(opener[2]):
            # A cut inside the last line of a fence is still inside the fence.
            opener = None if fence.end() <= offset else opener
    return opener


def _cut_table(text: str, offset: int) -> BlockCut:
    start = text.rfind("\n", 0, offset) + 1
    if not _ROW_PATTERN.match(text, start):
        return BlockCut()
    first = start
    while first:
        above = text.rfind("\n", 0, first - 1) + 1
        if not _ROW_PATTERN.match(text, above):
            break
        first = above
    rule = text.find("\n", first) + 1
    if not rule or not _RULE_PATTERN.match(text, rule):
        return BlockCut()
    rows = text.find("\n", rule) + 1
    if not rows or offset < rows:
        return BlockCut(head=first) if first < offset else BlockCut()
    return BlockCut(lead=text[first:rows])
