"""How good the rows of one reply are."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias
from urllib.parse import urlsplit

import msgspec

from ...ports.bench import BenchQuestion, BenchReply, BenchRow, MeasureName
from ..planner.fusion import page_key

_BLANKS = re.compile(r"\W+")


class MeasureDepth(msgspec.Struct, frozen=True, kw_only=True):
    """How far is looked: at the first ``most`` rows, and into the pages of the first ``page_rows``.

    ``pages`` are the words of those that were read, by their addresses.
    """

    most: int
    page_rows: int = 0
    pages: Mapping[str, str] = {}


Measure: TypeAlias = Callable[[BenchQuestion, BenchReply, MeasureDepth], float | None]


def hit_rate(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return 1 when a right page is among the first rows, 0 when not, None when none is known."""
    if not (question.urls or question.domains or question.judgments):
        return None
    return float(any(_grade(question, row) for row in reply.rows[: sight.most]))


def ndcg(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return the discounted gain of the first rows, as a share of the best there could be.

    The gain of a row is its grade, as trec_eval has it (ndcg_cut); a page counts where it stands
    first. None when neither addresses nor judgments say what is best.
    """
    grades = sorted([*question.judgments.values(), *(1 for _ in _ungraded(question))], reverse=True)
    best = _gain(grades[: sight.most])
    if not best:
        return None
    firsts = {page_key(row.url): row for row in reversed(reply.rows)}
    rows = [row for row in reply.rows if firsts.get(page_key(row.url)) is row]
    return _gain([_known_grade(question, row) for row in rows[: sight.most]]) / best


def answer_found(question: BenchQuestion, reply: BenchReply, sight: MeasureDepth) -> float | None:
    """Return 1 when an answer stands in a title or snippet of the first rows."""
    if not question.answers:
        return None
    rows = reply.rows[: sight.most]
    return float(_holds(question, [normalise_words(f"{row.title} {row.snippet}") for row in rows]))


def answer_in_pages(
    question: BenchQuestion, reply: BenchReply, sight: MeasureDepth
) -> float | None:
    """Return 1 when an answer stands in a page of the first rows; None when no pages were read."""
    if not question.answers or not sight.page_rows:
        return None
    rows = reply.rows[: min(sight.page_rows, sight.most)]
    return float(_holds(question, [sight.pages.get(row.url, "") for row in rows]))


def _holds(question: BenchQuestion, texts: Sequence[str]) -> bool:
    wanted = [normalise_words(answer) for answer in question.answers]
    return any(f" {each} " in f" {text} " for each in wanted for text in texts)


MEASURES: Mapping[MeasureName, Measure] = MappingProxyType(
    {"hit": hit_rate, "ndcg": ndcg, "answer": answer_found, "pages": answer_in_pages}
)


def _ungraded(question: BenchQuestion) -> list[str]:
    graded = {page_key(url) for url in question.judgments}
    return [url for url in question.urls if page_key(url) not in graded]


def _known_grade(question: BenchQuestion, row: BenchRow) -> int:
    key = page_key(row.url)
    grades = {page_key(url): 1 for url in question.urls}
    grades |= {page_key(url): grade for url, grade in question.judgments.items()}
    return grades.get(key, 0)


def _grade(question: BenchQuestion, row: BenchRow) -> int:
    host = urlsplit(row.url).hostname or ""
    wanted = [domain.lower() for domain in question.domains]
    there = any(host == domain or host.endswith(f".{domain}") for domain in wanted)
    return max(_known_grade(question, row), int(there))


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def normalise_words(text: str) -> str:
    """Return the words of a text, small, with one blank between them."""
    return _BLANKS.sub(" ", text.casefold()).strip()
