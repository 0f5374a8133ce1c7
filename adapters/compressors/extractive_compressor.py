"""A compressor without a model: it quotes the sentences that answer the question.

The same page and instruction always give the same text. A code block, table or figure is kept
whole or left out; a table that exceeds the budget by itself keeps some rows under its head. The
order stays, and ``[…]`` marks each omission.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal, TypeAlias

import msgspec

from webseam.ports.text import sign_border

from ..language import detection, scripts, tokenising
from ..language.function_words import function_words

UnitKind: TypeAlias = Literal["heading", "sentence", "item", "whole", "head", "row"]
_MAX_SENTENCE_CHARS = 600
_FENCE_PATTERN = re.compile(r"^\s{0,3}(`{3,}|~{3,})")
_HEADING_PATTERN = re.compile(r"^\s{0,3}#{1,6}\s")
_LIST_ITEM_PATTERN = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+\S")
_TABLE_ROW_PATTERN = re.compile(r"^\s*\|.*\|\s*$")
_TABLE_RULE_PATTERN = re.compile(r"^\s*\|[\s:|-]+\|\s*$")
_FIGURE_PATTERN = re.compile(r"^\s*!?\[[^\]]*\]\([^)]*\)\s*$")
_SENTENCE_END_PATTERN = re.compile(
    r"(?<=[.!?])[\"')\]\u2019\u201d]*\s+(?=[\"'(\[\u2018\u201c*_]*[A-Z0-9\u00c0-\u024f\u0370-\u1fff])"
    r"|(?<=[\u0964\u061f\u06d4\u1362\u17d4\u104b])\s+|(?<=[\u3002\uff01\uff1f])"
)
_ABBREVIATION_PATTERN = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|No|Fig|Eq|Inc|Ltd|Co|al|approx)|\b[A-Z])\.$"
)


class TextUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a page. ``gap`` separates it from the unit before, if both are kept.

    A ``row`` belongs to a long table, whose ``head`` is a unit of the same block.
    """

    text: str
    kind: UnitKind
    block: int
    gap: str


def split_page_units(text: str, max_table_chars: int | None = None) -> list[TextUnit]:
    """Split a markdown page into units, and tables over ``max_table_chars`` into their rows."""
    units: list[TextUnit] = []
    for block, lines in enumerate(_markdown_blocks(text.splitlines())):
        size = sum(map(len, lines)) + len(lines) - 1
        if max_table_chars is not None and size > max_table_chars and _is_table_row(lines[0]):
            units += _split_table_rows(lines, block)
        else:
            units += _split_block(lines, block)
    return units


def _markdown_blocks(lines: list[str]) -> Iterator[list[str]]:
    labelled = zip(_block_labels(lines), lines, strict=True)
    for label, run in groupby(labelled, key=itemgetter(0)):
        if label:
            yield [line for _, line in run]


def _block_labels(lines: list[str]) -> Iterator[str]:
    """Yield a label for each line: lines of one block share a label, blank lines have ``""``."""
    fence = ""
    for number, line in enumerate(lines):
        fence_match = _FENCE_PATTERN.match(line)
        if fence:
            yield fence
            if fence_match and fence_match[1].startswith(fence.partition(" ")[0]):
                fence = ""
        elif fence_match:
            fence = f"{fence_match[1]} {number}"
            yield fence
        else:
            yield _line_label(line, number)


def _line_label(line: str, number: int) -> str:
    if _HEADING_PATTERN.match(line):
        return f"heading {number}"
    if _is_table_row(line):
        return "table"
    return "text" if line.strip() else ""


def _split_block(lines: list[str], block: int) -> list[TextUnit]:
    text = "\n".join(lines)
    if _HEADING_PATTERN.match(lines[0]):
        return [TextUnit(text=text.strip(), kind="heading", block=block, gap="\n\n")]
    if _FENCE_PATTERN.match(lines[0]) or _is_table_row(lines[0]) or _FIGURE_PATTERN.match(text):
        return [TextUnit(text=text, kind="whole", block=block, gap="\n\n")]
    if _LIST_ITEM_PATTERN.match(lines[0]):
        return [
            TextUnit(text=item, kind="item", block=block, gap="\n" if index else "\n\n")
            for index, item in enumerate(_list_items(lines))
        ]
    return [
        TextUnit(text=sentence, kind="sentence", block=block, gap=" " if index else "\n\n")
        for index, sentence in enumerate(_split_sentences(" ".join(map(str.strip, lines))))
    ]


def _split_table_rows(lines: list[str], block: int) -> Iterator[TextUnit]:
    has_head = len(lines) > 1 and _TABLE_RULE_PATTERN.match(lines[1]) is not None
    if has_head:
        yield TextUnit(text="\n".join(lines[:2]), kind="head", block=block, gap="\n\n")
    for index, row in enumerate(lines[2:] if has_head else lines):
        yield TextUnit(text=row, kind="row", block=block, gap="\n" if index or has_head else "\n\n")


def _list_items(lines: list[str]) -> Iterator[str]:
    item: list[str] = []
    for line in lines:
        if item and _LIST_ITEM_PATTERN.match(line):
            yield "\n".join(item)
            item = []
        item.append(line)
    yield "\n".join(item)


def _split_sentences(text: str) -> Iterator[str]:
    start = 0
    for match in _SENTENCE_END_PATTERN.finditer(text):
        if not _ABBREVIATION_PATTERN.search(text[start : match.start()]):
            yield from _split_long_sentence(text[start : match.end()])
            start = match.end()
    yield from _split_long_sentence(text[start:])


def _split_long_sentence(sentence: str) -> Iterator[str]:
    """Yield a sentence, or pieces of one that is too long, cut between words where possible."""
    start, stripped = 0, sentence.strip()
    while (end := start + _MAX_SENTENCE_CHARS) < len(stripped):
        cut = stripped.rfind(" ", start + _MAX_SENTENCE_CHARS // 2, end)
        end = cut if cut > 0 else sign_border(stripped, end)
        if piece := stripped[start:end].strip():
            yield piece
        start = end + (cut > 0)
    if rest := stripped[start:].strip():
        yield rest


def _is_table_row(line: str) -> bool:
    return _TABLE_ROW_PATTERN.match(line) is not None


# Words that phrase an instruction, as opposed to its topic.
_INSTRUCTION_TERMS = frozenset(
    tokenising.text_terms(
        "keep retain include preserve leave omit drop remove ignore focus extract summarize "
        "summarise summary shorten compress answer question tell find list give return explain "
        "describe every fact figure name date number quotation quote code block detail information "
        "relevant important key main reader need page text content article document section "
        "navigation advertising repetition following words sentence paragraph use user want know"
    )
)
_IGNORED_TERMS = tokenising.STOP_TERMS | _INSTRUCTION_TERMS
_BM25_SATURATION = 1.0
_NEIGHBOUR_WEIGHT = 0.4
_BLOCK_WEIGHT = 0.25
_HEADING_WEIGHT = 0.35
_POSITION_WEIGHT = 0.15
_FACT_PATTERN = re.compile(r"\d|\b[A-Z][a-z]+ [A-Z][a-z]+")


def rank_units(units: Sequence[TextUnit], instruction: str) -> list[float]:
    """Score each unit by the question in ``instruction``, or by its position without one."""
    sentences = (unit.text for unit in units if unit.kind == "sentence")
    language = detection.detect_stemmer_language(" ".join(sentences))
    unit_terms = [tokenising.text_terms(unit.text, language) for unit in units]
    page_terms, terms = set().union(*unit_terms), _instruction_topic(instruction, language)
    topic_terms = [term for term in terms if term in page_terms]
    if topic_terms:
        return _score_by_question(units, unit_terms, topic_terms)
    return _score_by_position(units)


def _instruction_topic(instruction: str, language: str) -> list[str]:
    """Return the topic of an instruction as terms of the page's language.

    The instruction may be in English on any page, so function words of both languages are dropped.
    """
    ignored_words = function_words(language)
    topic_words = [
        word
        for word in scripts.find_words(instruction.lower())
        if word not in ignored_words and not _IGNORED_TERMS.issuperset(tokenising.text_terms(word))
    ]
    return list(dict.fromkeys(tokenising.text_terms(" ".join(topic_words), language)))


def _score_by_question(
    units: Sequence[TextUnit], unit_terms: Sequence[Sequence[str]], topic_terms: Sequence[str]
) -> list[float]:
    # BM25 scores each unit by itself; several of the terms count more.
    rarities = _topic_idf_scores(unit_terms, topic_terms)
    mean_terms = sum(map(len, unit_terms)) / len(unit_terms)
    scores: list[float] = []
    for terms in unit_terms:
        counts = Counter(term for term in terms if term in rarities)
        saturation = _BM25_SATURATION * (0.5 + 0.5 * min(len(terms) / mean_terms, 3.0))
        base = sum(rarities[term] * count / (count + saturation) for term, count in counts.items())
        scores.append(base * (1 + len(counts) / len(rarities)))
    headings = _unit_heading_scores(units, scores)
    blocks: dict[int, float] = {}
    for unit, score in zip(units, scores, strict=True):
        blocks[unit.block] = max(blocks.get(unit.block, 0.0), score)
    totals: list[float] = []
    for index, unit in enumerate(units):
        neighbours = scores[max(0, index - 1) : index] + scores[index + 1 : index + 2]
        totals.append(
            scores[index]
            + _NEIGHBOUR_WEIGHT * max(neighbours, default=0.0)
            + _BLOCK_WEIGHT * blocks[unit.block]
            + _HEADING_WEIGHT * headings[index]
            + _POSITION_WEIGHT * (1 - index / len(units))
        )
    return totals


def _topic_idf_scores(
    unit_terms: Sequence[Sequence[str]], topic_terms: Sequence[str]
) -> dict[str, float]:
    unit_counts = Counter(term for terms in unit_terms for term in set(terms))
    return {
        term: math.log(1 + (len(unit_terms) - unit_counts[term] + 0.5) / (unit_counts[term] + 0.5))
        for term in topic_terms
    }


def _unit_heading_scores(units: Sequence[TextUnit], unit_scores: Sequence[float]) -> list[float]:
    heading_score = 0.0
    scores: list[float] = []
    for unit, score in zip(units, unit_scores, strict=True):
        if unit.kind == "heading":
            heading_score = score
        scores.append(heading_score)
    return scores


def _score_by_position(units: Sequence[TextUnit]) -> list[float]:
    """Prefer the start of the page and of each section, and units with names and figures."""
    units_since, section = 0, 0
    scores: list[float] = []
    for unit in units:
        if unit.kind == "heading":
            units_since, section = 0, section + 1
        else:
            units_since += 1
        lead = 1.0 if section <= 1 else 0.7
        fact = 0.2 if _FACT_PATTERN.search(unit.text) else 0.0
        scores.append(lead / (1 + units_since) + fact + (0.3 if unit.kind == "whole" else 0.0))
    return scores


DEFAULT_BUDGET_CHARS = 5000
OMISSION_MARK = "[…]"
_OMISSION_MARK_CHARS = len(OMISSION_MARK) + len("\n\n") * 2
# The omission marks around a block that is kept alone.
_LONE_BLOCK_OMISSION_CHARS = 2 * _OMISSION_MARK_CHARS + len("\n\n")


def extract(text: str, instruction: str, budget: int = DEFAULT_BUDGET_CHARS) -> str:
    """Return at most ``budget`` characters of ``text``, chosen by ``instruction``. Pure."""
    if len(text) <= budget:
        return text
    units = split_page_units(text, budget - _LONE_BLOCK_OMISSION_CHARS)
    scores = rank_units(units, instruction) if units else []
    chosen = _join_chosen_units(units, _choose_units(units, scores, budget))
    return chosen[: sign_border(chosen, budget)]


def _choose_units(units: Sequence[TextUnit], scores: Sequence[float], budget: int) -> set[int]:
    """Choose the best units that fit the budget together with the omission marks."""
    chosen: set[int] = set()
    # Count as if no two chosen units were adjacent, so that the estimate is never too low.
    budget_left = budget - _OMISSION_MARK_CHARS
    headings = _heading_indices(units)
    table_heads = {part.block: index for index, part in enumerate(units) if part.kind == "head"}
    for index in sorted(range(len(units)), key=lambda index: (-scores[index], index)):
        for candidate in (headings[index], table_heads.get(units[index].block), index):
            if candidate is None or candidate in chosen:
                continue
            cost = _added_unit_chars(units, chosen, candidate)
            if cost <= budget_left:
                chosen.add(candidate)
                budget_left -= cost
    return chosen


def _added_unit_chars(units: Sequence[TextUnit], chosen: set[int], index: int) -> int:
    """Return the characters that one more unit adds, including gaps and omission marks."""
    has_left, has_right = index - 1 in chosen, index + 1 in chosen
    cost = len(units[index].text) + len(units[index].gap)
    if not has_left and not has_right:
        return cost + _OMISSION_MARK_CHARS
    return cost + (len(units[index + 1].gap) if has_right else 0)


def _heading_indices(units: Sequence[TextUnit]) -> list[int | None]:
    """Return the index of the heading above each unit; None before the first heading."""
    headings: list[int | None] = []
    heading = None
    for index, unit in enumerate(units):
        headings.append(heading)
        heading = index if unit.kind == "heading" else heading
    return headings


def _join_chosen_units(units: Sequence[TextUnit], chosen: set[int]) -> str:
    pieces: list[str] = []
    last = -1
    for index in sorted(chosen):
        if index == last + 1:
            pieces.append(units[index].gap if pieces else "")
        elif pieces and units[last].block == units[index].block and units[index].gap == " ":
            pieces.append(f" {OMISSION_MARK} ")
        elif pieces and units[last].block == units[index].block and units[index].kind == "row":
            pieces.append(f"\n{OMISSION_MARK}\n")
        else:
            pieces.append(f"\n\n{OMISSION_MARK}\n\n" if pieces else f"{OMISSION_MARK}\n\n")
        pieces.append(units[index].text)
        last = index
    if last < len(units) - 1 or not pieces:
        pieces.append(f"\n\n{OMISSION_MARK}" if pieces else OMISSION_MARK)
    return "".join(pieces)
