"""A compressor without a model: it keeps the sentences that answer the question, word for word.

The same page and instruction always give the same text. Code blocks, tables and figures are kept
whole or not at all; only of a table that alone is too long some rows are, under its head. All stays
in its order, and ``[…]`` stands where something was left out.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec
from returns.result import Result, Success

from ...ports.errors import WebError
from ..language.function_words import detect_language, function_words
from ..language.scripts import find_words
from ..language.tokenising import STOP_TERMS, text_terms

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


# A compressor without a model: it keeps the sentences that answer the question, word for word.

# What instructions are made of, rather than what they ask about.
_INSTRUCTING = frozenset(
    text_terms(
        "keep retain include preserve leave omit drop remove ignore focus extract summarize "
        "summarise summary shorten compress answer question tell find list give return explain "
        "describe every fact figure name date number quotation quote code block detail information "
        "relevant important key main reader need page text content article document section "
        "navigation advertising repetition following words sentence paragraph use user want know"
    )
)
_SAYS_NOTHING = STOP_TERMS | _INSTRUCTING
_SATURATION = 1.0
_FROM_NEIGHBOUR = 0.4
_FROM_BLOCK = 0.25
_FROM_HEADING = 0.35
_POSITION_WEIGHT = 0.15
_FACT = re.compile(r"\d|\b[A-Z][a-z]+ [A-Z][a-z]+")


def rank_units(units: Sequence[TextUnit], instruction: str) -> list[float]:
    """Return each unit's worth: by the question in ``instruction``, else by its place."""
    language = detect_language(" ".join(unit.text for unit in units if unit.kind == "sentence"))
    words = [text_terms(unit.text, language) for unit in units]
    known = set().union(*words)
    wanted = [term for term in _asked(instruction, language) if term in known]
    return _by_question(units, words, wanted) if wanted else _by_place(units)


def _asked(instruction: str, language: str) -> list[str]:
    """Return what an instruction asks about, as terms of the page's language.

    It may be in English on any page, and so may be the words that only build it.
    """
    frame = function_words(language)
    told = [
        word
        for word in find_words(instruction.lower())
        if word not in frame and not _SAYS_NOTHING.issuperset(text_terms(word))
    ]
    return list(dict.fromkeys(text_terms(" ".join(told), language)))


def _by_question(
    units: Sequence[TextUnit], words: Sequence[Sequence[str]], wanted: Sequence[str]
) -> list[float]:
    own = _own(words, _rarities(words, wanted))
    headings = _under(units, own)
    blocks: dict[int, float] = {}
    for unit, score in zip(units, own, strict=True):
        blocks[unit.block] = max(blocks.get(unit.block, 0.0), score)
    worth: list[float] = []
    for at, unit in enumerate(units):
        near = max(own[max(0, at - 1) : at] + own[at + 1 : at + 2], default=0.0)
        worth.append(
            own[at]
            + _FROM_NEIGHBOUR * near
            + _FROM_BLOCK * blocks[unit.block]
            + _FROM_HEADING * headings[at]
            + _POSITION_WEIGHT * (1 - at / len(units))
        )
    return worth


def _rarities(words: Sequence[Sequence[str]], wanted: Sequence[str]) -> dict[str, float]:
    having = Counter(term for unit in words for term in set(unit))
    return {
        term: math.log(1 + (len(words) - having[term] + 0.5) / (having[term] + 0.5))
        for term in wanted
    }


def _own(words: Sequence[Sequence[str]], rarities: dict[str, float]) -> list[float]:
    """Score each unit by itself, as BM25 does; to hold several of the terms counts extra."""
    usual = sum(map(len, words)) / len(words)
    scores: list[float] = []
    for unit in words:
        counts = Counter(term for term in unit if term in rarities)
        soft = _SATURATION * (0.5 + 0.5 * min(len(unit) / usual, 3.0))
        base = sum(rarities[term] * count / (count + soft) for term, count in counts.items())
        scores.append(base * (1 + len(counts) / len(rarities)))
    return scores


def _under(units: Sequence[TextUnit], own: Sequence[float]) -> list[float]:
    """Return for each unit what the heading above it is worth."""
    current = 0.0
    scores: list[float] = []
    for unit, score in zip(units, own, strict=True):
        if unit.kind == "heading":
            current = score
        scores.append(current)
    return scores


def _by_place(units: Sequence[TextUnit]) -> list[float]:
    """Prefer the start of the page and of each section, and what holds names and figures."""
    since, section = 0, 0
    worth: list[float] = []
    for unit in units:
        if unit.kind == "heading":
            since, section = 0, section + 1
        else:
            since += 1
        lead = 1.0 if section <= 1 else 0.7
        fact = 0.2 if _FACT.search(unit.text) else 0.0
        worth.append(lead / (1 + since) + fact + (0.3 if unit.kind == "whole" else 0.0))
    return worth


DEFAULT_BUDGET_CHARS = 5000
OMITTED = "[…]"


class ExtractiveCompressor:
    """A ``Compressor``: query-focused extracts of at most ``budget`` characters."""

    name = "extractive"

    def __init__(self, budget: int = DEFAULT_BUDGET_CHARS) -> None:
        """Keep at most ``budget`` characters."""
        self._budget = budget

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return what of ``text`` is worth most to someone who asks ``instruction``."""
        return Success(extract(text, instruction, self._budget))


def extract(text: str, instruction: str, budget: int = DEFAULT_BUDGET_CHARS) -> str:
    """Return at most ``budget`` characters of ``text``, chosen by ``instruction``. Pure."""
    if len(text) <= budget:
        return text
    parts = split_units(text, budget - _ROOM)
    worth = rank_units(parts, instruction) if parts else []
    chosen = _choose(parts, worth, budget)
    return _joined(parts, chosen)[:budget]


def _choose(parts: Sequence[TextUnit], worth: Sequence[float], budget: int) -> set[int]:
    """Take the units that are worth most, as long as they fit with the marks between them."""
    chosen: set[int] = set()
    # What has been taken, counted as if nothing were side by side: never too little.
    budget_left = budget - _cost(OMITTED)
    headings = _headings(parts)
    heads = {part.block: at for at, part in enumerate(parts) if part.kind == "head"}
    for at in sorted(range(len(parts)), key=lambda at: (-worth[at], at)):
        for wanted in (headings[at], heads.get(parts[at].block), at):
            if wanted is None or wanted in chosen:
                continue
            cost = _added(parts, chosen, wanted)
            if cost <= budget_left:
                chosen.add(wanted)
                budget_left -= cost
    return chosen


def _added(parts: Sequence[TextUnit], chosen: set[int], at: int) -> int:
    """Return how much longer the text gets with one unit more: marks come and go around it."""
    before, after = at - 1 in chosen, at + 1 in chosen
    cost = len(parts[at].text) + len(parts[at].gap)
    if not before and not after:
        return cost + _cost(OMITTED)
    return cost + (len(parts[at + 1].gap) if after else 0)


def _cost(mark: str) -> int:
    return len(mark) + len("\n\n") * 2


# What the marks around a block take that is kept alone.
_ROOM = 2 * _cost(OMITTED) + len("\n\n")


def _headings(parts: Sequence[TextUnit]) -> list[int | None]:
    """Return for each unit which heading it stands under."""
    headings: list[int | None] = []
    last = None
    for at, part in enumerate(parts):
        headings.append(last)
        last = at if part.kind == "heading" else last
    return headings


def _joined(parts: Sequence[TextUnit], chosen: set[int]) -> str:
    pieces: list[str] = []
    last = -1
    for at in sorted(chosen):
        if at == last + 1:
            pieces.append(parts[at].gap if pieces else "")
        elif pieces and parts[last].block == parts[at].block and parts[at].gap == " ":
            pieces.append(f" {OMITTED} ")
        elif pieces and parts[last].block == parts[at].block and parts[at].kind == "row":
            pieces.append(f"\n{OMITTED}\n")
        else:
            pieces.append(f"\n\n{OMITTED}\n\n" if pieces else f"{OMITTED}\n\n")
        pieces.append(parts[at].text)
        last = at
    if last < len(parts) - 1 or not pieces:
        pieces.append(f"\n\n{OMITTED}" if pieces else OMITTED)
    return "".join(pieces)
