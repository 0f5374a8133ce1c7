"""A page taken apart into the units that are kept or left out: sentences, list items, whole blocks.

A code block, a table and a figure are one unit each, but for a table that is too long. Put together
again with their ``gap`` in front, all units give the text but for blanks.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["heading", "sentence", "item", "whole", "head", "row"]

_MAX_SENTENCE_CHARS = 600

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+\S")
_TABLE = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
_FIGURE = re.compile(r"^\s*!?\[[^\]]*\]\([^)]*\)\s*$")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]\u2019\u201d]*\s+(?=[\"'(\[\u2018\u201c*_]*[A-Z0-9\u00c0-\u024f\u0370-\u1fff])"
    r"|(?<=[\u0964\u061f\u06d4\u1362\u17d4\u104b])\s+|(?<=[\u3002\uff01\uff1f])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|No|Fig|Eq|Inc|Ltd|Co|al|approx)|\b[A-Z])\.$"
)


class TextUnit(msgspec.Struct, frozen=True, kw_only=True):
    """Something to keep or leave out. ``gap`` stands before it when its forerunner is kept too.

    A ``row`` is one of a long table, whose ``head`` is a unit of the same block.
    """

    text: str
    kind: Kind
    block: int
    gap: str


def split_units(text: str, longest_table: int | None = None) -> list[TextUnit]:
    """Take a markdown page apart, and tables that are longer than this into their rows."""
    parts: list[TextUnit] = []
    for block, lines in enumerate(_blocks(text.splitlines())):
        size = sum(map(len, lines)) + len(lines) - 1
        if longest_table is not None and size > longest_table and _is_table(lines[0]):
            parts += _of_table(lines, block)
        else:
            parts += _of_block(lines, block)
    return parts


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield runs of lines that belong together, without the blank lines between them."""
    for label, run in groupby(zip(_labels(lines), lines, strict=True), key=lambda pair: pair[0]):
        if label:
            yield [line for _, line in run]


def _labels(lines: list[str]) -> Iterator[str]:
    """Yield a label for each line: lines of one block in a row have the same, blank ones none."""
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            yield fence
            if mark and mark[1].startswith(fence.partition(" ")[0]):
                fence = ""
        elif mark:
            fence = f"{mark[1]} {number}"
            yield fence
        else:
            yield _label(line, number)


def _label(line: str, number: int) -> str:
    if _HEADING.match(line):
        return f"heading {number}"
    if _is_table(line):
        return "table"
    return "text" if line.strip() else ""


def _of_block(lines: list[str], block: int) -> list[TextUnit]:
    text = "\n".join(lines)
    if _HEADING.match(lines[0]):
        return [TextUnit(text=text.strip(), kind="heading", block=block, gap="\n\n")]
    if _FENCE.match(lines[0]) or _is_table(lines[0]) or _FIGURE.match(text):
        return [TextUnit(text=text, kind="whole", block=block, gap="\n\n")]
    if _ITEM.match(lines[0]):
        return [
            TextUnit(text=item, kind="item", block=block, gap="\n" if at else "\n\n")
            for at, item in enumerate(_items(lines))
        ]
    return [
        TextUnit(text=sentence, kind="sentence", block=block, gap=" " if at else "\n\n")
        for at, sentence in enumerate(_sentences(" ".join(map(str.strip, lines))))
    ]


def _of_table(lines: list[str], block: int) -> Iterator[TextUnit]:
    has_head = len(lines) > 1 and _RULE.match(lines[1]) is not None
    if has_head:
        yield TextUnit(text="\n".join(lines[:2]), kind="head", block=block, gap="\n\n")
    for at, row in enumerate(lines[2:] if has_head else lines):
        yield TextUnit(text=row, kind="row", block=block, gap="\n" if at or has_head else "\n\n")


def _items(lines: list[str]) -> Iterator[str]:
    item: list[str] = []
    for line in lines:
        if item and _ITEM.match(line):
            yield "\n".join(item)
            item = []
        item.append(line)
    yield "\n".join(item)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        sentence = text[start : end.start()]
        if not _ABBREVIATION.search(sentence):
            yield from _bounded(text[start : end.end()])
            start = end.end()
    yield from _bounded(text[start:])


def _bounded(sentence: str) -> Iterator[str]:
    """Yield what may be a sentence without end in pieces, cut between words where there are any."""
    rest = sentence.strip()
    while len(rest) > _MAX_SENTENCE_CHARS:
        blank = rest.rfind(" ", _MAX_SENTENCE_CHARS // 2, _MAX_SENTENCE_CHARS)
        at = blank if blank > 0 else _MAX_SENTENCE_CHARS
        yield rest[:at].strip()
        rest = rest[at:].strip()
    if rest:
        yield rest


def _is_table(line: str) -> bool:
    return _TABLE.match(line) is not None
