"""How good the rows of one reply are."""

import math
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from ...ports.bench import BenchQuestion, BenchReply, BenchRow
from ..planner.fusion import page_key

_BLANKS = re.compile(r"\W+")


def hit(question: BenchQuestion, reply: BenchReply, most: int) -> float | None:
    """Return 1 when a right page is among the first rows, 0 when not, None when none is known."""
    if not (question.urls or question.domains or question.judgments):
        return None
    return float(any(_grade(question, row) for row in reply.rows[:most]))


def ndcg(question: BenchQuestion, reply: BenchReply, most: int) -> float | None:
    """Return the discounted gain of the first rows, as a share of the best there could be.

    Gains are ``2 ** grade - 1`` (Burges and others 2005); a page counts where it stands first.
    None when neither addresses nor judgments say what is best.
    """
    grades = sorted([*question.judgments.values(), *(1 for _ in _ungraded(question))], reverse=True)
    best = _gain(grades[:most])
    if not best:
        return None
    firsts = {page_key(row.url): row for row in reversed(reply.rows)}
    rows = [row for row in reply.rows if firsts.get(page_key(row.url)) is row]
    return _gain([_known_grade(question, row) for row in rows[:most]]) / best


def answer_found(question: BenchQuestion, reply: BenchReply, most: int) -> float | None:
    """Return 1 when an answer stands in a title or snippet of the first rows."""
    if not question.answers:
        return None
    texts = [_plain(f"{row.title} {row.snippet}") for row in reply.rows[:most]]
    wanted = [_plain(answer) for answer in question.answers]
    return float(any(f" {each} " in f" {text} " for each in wanted for text in texts))


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
    return math.fsum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text.casefold()).strip()
