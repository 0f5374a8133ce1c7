"""Answer a question without a model: with the sentences, items and rows that fit it best."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from webseam.ports.evidence import Claim, SourcePage

from .claims import make_claims
from .content_words import FUNCTION_WORDS, word_stem
from .page_view import CLAIM_BLOCKS, PageView, row_cells
from .passages import block_around, has_orders
from .quotes import QuoteSpan

MAX_EXTRACTS = 3
# A paragraph whose sentences cannot be told apart is long; all together fit a screen.
_MAX_EXTRACT_CHARS = _MAX_ANSWER_CHARS = 2000
_MAX_INTRO_CHARS = 160
# A sentence that is shorter says little without the next one.
_MIN_SENTENCE_CHARS = 90
_POINTING_BACK_PATTERN = re.compile(r"(?:It|This|That|They|These|Then|There|He|She)\b")
_COMPOUND_PATTERN = re.compile(r"[^\W_]+(?:[._-][^\W_]+)*")
_PART_BORDER_PATTERN = re.compile(r"[._-]")
# Words of a question that name no subject.
_QUESTION_WORDS = FUNCTION_WORDS | {
    "mean", "means", "happen", "happens", "get", "gets", "called", "default", "use", "used",
    "much", "many", "long", "often", "does",
}  # fmt: skip
# A question of one form is answered by a text that has the other.
_ANSWER_FORMS = (
    (r"\bhow (?:many|much|long|large|big|often|far|old|high|deep)\b|\bdefault\b",
     r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|until|never|default)\b"),
    (r"\bhow (?:do|can) (?:i|you|we)\b", r"`[^`\n]+`"),
    (r"\bvariable\b|\bwhich setting\b", r"\b(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"),
    (r"\bwhen\b|\bwhat year\b", r"\b\d{4}\b|\b\d{1,2}[:.]\d\d\b"),
)  # fmt: skip
_ANSWER_PATTERNS = tuple(
    (re.compile(question, re.IGNORECASE), re.compile(answer, re.IGNORECASE))
    for question, answer in _ANSWER_FORMS
)
_FITTING_FORM, _OTHER_FORM = 1.25, 0.8
_BM25_B, _BM25_K1 = 0.4, 1.2
_HEADING_WEIGHT, _TITLE_WEIGHT = 0.6, 0.35
_MIN_OWN_SHARE, _MIN_COVERED_SHARE = 0.25, 0.35
_MIN_SCORE_OF_BEST = 0.45
_MAX_SHARED_PART = 0.7


class Extract(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a page that answers a question; ``heading`` says what it stands under."""

    page: int
    start: int
    end: int
    text: str
    heading: str = ""


class _ScoredWords:
    def __init__(self, extract: Extract, title: str) -> None:
        self.text = Counter(_subject_stems(extract.text))
        self.heading = frozenset(_subject_stems(extract.heading))
        self.title = frozenset(_subject_stems(title))
        self.size = sum(self.text.values())

    def weight(self, stem: str) -> float:
        weight: float = self.text[stem]
        if stem in self.heading:
            weight += _HEADING_WEIGHT
        if stem in self.title:
            weight += _TITLE_WEIGHT
        return weight


def question_words(question: str) -> tuple[str, ...]:
    """Return the words of a question that name its subject.

    >>> question_words("How long is the Long Bridge?")
    ('Bridge',)
    """
    words = _COMPOUND_PATTERN.findall(question)
    return tuple(dict.fromkeys(word for word in words if word.lower() not in _QUESTION_WORDS))


def _subject_stems(text: str) -> Iterator[str]:
    """Yield the stems of a text; ``serve.timeout`` is also ``serve`` and ``timeout``."""
    for word in _COMPOUND_PATTERN.findall(text):
        yield word_stem(word)
        parts = _PART_BORDER_PATTERN.split(word)
        if len(parts) > 1:
            yield from map(word_stem, parts)


def missing_words(question: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question that none of the texts has."""
    stems = {stem for text in texts for stem in _subject_stems(text)}
    words = question_words(question)
    return tuple(word for word in words if stems.isdisjoint(_subject_stems(word)))


def extract_claims(
    question: str, views: Sequence[PageView], pages: Sequence[SourcePage]
) -> tuple[Claim, ...]:
    """Return the claims that answer a question best."""
    claims: dict[tuple[int, int, int], Claim] = {}
    for extract in pick_extracts(question, views):
        span = QuoteSpan(extract.start, extract.end)
        made = make_claims(views[extract.page], pages, extract.page, span)
        claims |= {(it.page, it.start, it.end): it for it in made.value_or(())}
    return tuple(claims.values())


def pick_extracts(question: str, views: Sequence[PageView]) -> tuple[Extract, ...]:
    """Return the extracts that answer a question best: no questions, no duplicates, no orders."""
    words = question_words(question)
    stems = tuple(dict.fromkeys(stem for word in words for stem in _subject_stems(word)))
    extracts = [
        extract for page, view in enumerate(views) for extract in _page_extracts(view, page)
    ]
    counts = [_ScoredWords(extract, views[extract.page].title) for extract in extracts]
    scores = _score_extracts(question, stems, extracts, counts)
    ranked = sorted(range(len(extracts)), key=lambda number: (-scores[number], number))
    chosen: list[int] = []
    room = _MAX_ANSWER_CHARS
    for number in ranked:
        if len(chosen) == MAX_EXTRACTS or scores[number] <= _MIN_SCORE_OF_BEST * scores[ranked[0]]:
            break
        if any(_are_alike(counts[number].text, counts[earlier].text) for earlier in chosen):
            continue
        if len(extracts[number].text) <= room:
            room -= len(extracts[number].text)
            chosen.append(number)
    return tuple(extracts[number] for number in chosen)


def _are_alike(first: Counter[str], second: Counter[str]) -> bool:
    return len(first.keys() & second.keys()) > _MAX_SHARED_PART * min(len(first), len(second))


def _score_extracts(
    question: str, stems: Sequence[str], extracts: Sequence[Extract], counts: Sequence[_ScoredWords]
) -> list[float]:
    """Return BM25 over text, heading and title, times the share of the question it covers."""
    mean_size = sum(count.size for count in counts) / len(counts) if counts else 1.0
    spread = Counter(
        stem for count in counts for stem in stems if stem in count.text or stem in count.heading
    )
    rarity = {stem: math.log(1 + (len(counts) + 0.5) / (spread[stem] + 0.5)) for stem in stems}
    total = sum(rarity.values()) or 1.0
    forms = [answer for asked, answer in _ANSWER_PATTERNS if asked.search(question)]
    scores = []
    for extract, count in zip(extracts, counts, strict=True):
        weights = {stem: count.weight(stem) for stem in stems if count.weight(stem)}
        covered = sum(rarity[stem] * min(1.0, weight) for stem, weight in weights.items())
        own = sum(rarity[stem] for stem in stems if stem in count.text)
        length = _BM25_K1 * (1 - _BM25_B + _BM25_B * count.size / (mean_size or 1.0))
        score = sum(
            rarity[stem] * weight * (1 + _BM25_K1) / (weight + length)
            for stem, weight in weights.items()
        )
        for form in forms:
            score *= _FITTING_FORM if form.search(extract.text) else _OTHER_FORM
        is_answer = own >= _MIN_OWN_SHARE * total and covered >= _MIN_COVERED_SHARE * total
        scores.append(score * (0.5 + covered / total) if is_answer else 0.0)
    return scores


def _page_extracts(view: PageView, page: int) -> Iterator[Extract]:
    for number, block in enumerate(view.blocks):
        is_frame = block.kind not in CLAIM_BLOCKS
        if is_frame or has_orders(block_around(view.text, block.start, block.end)):
            continue
        intro = "" if block.intro is None else view.print_block(block.intro)
        is_intro_short = block.kind != "code" and 0 < len(intro) < _MAX_INTRO_CHARS
        short_intro = (intro,) if is_intro_short else ()
        heading = " / ".join((*block.headings[-2:], *short_intro))
        for start, end in _extract_spans(view, number):
            text = view.print_range(block, start, end)
            if block.kind == "row":
                text = name_cells(block.header, view.text[start:end])
            elif block.kind == "code":
                text = f"{intro} {text}".strip()
            if len(text) <= _MAX_EXTRACT_CHARS and not text.endswith(("?", ":")):
                yield Extract(page=page, start=start, end=end, text=text, heading=heading)


def name_cells(header: str, row: str) -> str:
    """Return the cells of a row, each with the name of its column where there is one."""
    cells, names = row_cells(row), header.split(" | ")
    if len(names) != len(cells):
        return " | ".join(cells)
    return "; ".join(
        f"{name}: {cell}" if name and cell else cell
        for name, cell in zip(names, cells, strict=True)
    )


def _extract_spans(view: PageView, number: int) -> Iterator[tuple[int, int]]:
    """Yield what a block may answer with: a sentence, with the one without which it says little."""
    units = list(view.units(number))
    for index, (first, last) in enumerate(units):
        start, end = first, last
        if index and _POINTING_BACK_PATTERN.match(view.text, first):
            start = units[index - 1][0]
        if end - start < _MIN_SENTENCE_CHARS and index + 1 < len(units):
            end = units[index + 1][1]
        yield start, end
