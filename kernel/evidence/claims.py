"""Judge lexically whether a quote supports a claim.

The check compares figures, units, dates, names and negations, and every word if the claim is close
to its quote. It cannot tell who did what to whom, nor judge a paraphrase, and reports doubt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

from msgspec.structs import replace

from ...ports.evidence import ClaimFault, Doubt, Support, SupportQuestion
from .content_words import FUNCTION_WORDS, NUMBERS, claim_stem, content_words, lower_words
from .figures import Date, Figure, TextFigures, all_figures, is_unit, read_figures
from .negation import count_negations

LEXICAL = "words"
# A claim that shares this much of its words with the quote must match it exactly.
_CLOSE = 0.6
_CARRIED_SHARE = 0.8
_MIN_SUPPORTED, _MIN_WEAK = 0.5, 0.3

_NAME_PATTERN = re.compile(
    r"\b[A-Z][\w\u2019'-]*[a-z][\w-]*|\b[A-Z]{2,}[\w-]*|\b[A-Z][a-z]?\b(?!\.)"
)
_OPENING = re.compile(r"(?:\A|[.!?:]\s|[\"\u201c(]\s?|\n)\s*\Z")
_POSSESSIVE_PATTERN = re.compile(r"['\u2019]s?\Z")
# Number words that count nothing, or follow the number that they multiply.
_VAGUE_NUMBERS = frozenset(("one", "zero", "hundred", "dozen"))
# May with a capital is a month.
_HEDGES = re.compile(
    r"\b(?:(?-i:may)|might|could|possibly|perhaps|probably|reportedly|allegedly|claim(?:s|ed)?|about|around"
    r"|nearly|almost|approximately|roughly|up to|at least|at most|estimated|expected|planned|if)\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    ("increas", "decreas"), ("rise", "fall"), ("rose", "fell"), ("higher", "lower"),
    ("more", "less"), ("more", "fewer"), ("before", "after"), ("maximum", "minimum"),
    ("safe", "unsafe"), ("always", "never"), ("allow", "prohibit"), ("gain", "loss"),
    ("first", "last"), ("approve", "reject"), ("legal", "illegal"), ("above", "below"),
    ("largest", "smallest"), ("open", "close"), ("win", "lose"), ("won", "lost"),
)  # fmt: skip
# Small words that express who did what to whom, and direction: from Cork to Faro, she paid him.
_RELATING_WORDS = frozenset((
    "i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "they",
    "them", "their", "from", "to", "by", "than", "before", "after", "against", "into", "whom",
))  # fmt: skip
# Words that may replace or precede a name.
_TITLE_WORDS = FUNCTION_WORDS | {
    "mr", "mrs", "ms", "dr", "prof", "professor", "president", "minister", "senator", "judge",
    "sir",
}  # fmt: skip
# Phrases that only name the source.
_SOURCE_NOUNS = "(?:page|article|source|passage|text|site|report|quote)"
_LEAD_IN_PATTERN = re.compile(
    rf"\A(?:according to|as per) (?:the|this) {_SOURCE_NOUNS},\s*"
    rf"|\Athe {_SOURCE_NOUNS} (?:says|states|reports|notes) that\s",
    re.IGNORECASE,
)

Words: TypeAlias = tuple[str, ...]


def check_claim(question: SupportQuestion) -> Support:
    """Return whether the quote supports the claim, as far as words can tell.

    >>> quote = "Sales rose by 5.2 % in May, the firm said."
    >>> claim = "Sales rose by 5.3 % in May."
    >>> check_claim(SupportQuestion(claim=claim, quote=quote, passage=quote)).faults
    ('figure',)
    """
    claim, quote = _LEAD_IN_PATTERN.sub("", question.claim), question.quote
    evidence = _QuoteEvidence(quote, question.passage)
    faults = tuple(dict.fromkeys(_claim_faults(claim, evidence)))
    words = content_words(claim)
    score = _shared_stems(words, evidence.stems)
    doubts = tuple(_claim_doubts(claim, quote, score))
    if faults:
        return Support(verdict="refused", by=LEXICAL, faults=faults, doubts=doubts, score=score)
    return Support(
        verdict="weak" if doubts else "supported", by=LEXICAL, doubts=doubts, score=score
    )


class _QuoteEvidence:
    """The figures, stems and names of a quote and its passage."""

    def __init__(self, quote: str, passage: str) -> None:
        self.quote = quote
        self.facts = read_figures(quote)
        self.figures = all_figures(quote)
        self.stems = frozenset(map(claim_stem, lower_words(quote)))
        self.names = self.stems | frozenset(map(claim_stem, _capital_words(passage)))
        self.words = self.stems | frozenset(map(claim_stem, lower_words(passage)))


def _claim_faults(claim: str, evidence: _QuoteEvidence) -> Iterator[ClaimFault]:
    claim_facts = read_figures(claim)
    if any(not _has_date(date, evidence) for date in claim_facts.dates):
        yield "date"
    yield from _figure_faults(claim, claim_facts, evidence)
    if _has_strange_name(claim, claim_facts.rest, evidence):
        yield "name"
    if _negation_differs(claim, evidence.quote):
        yield "negation"
    if _is_opposite(claim, evidence.quote):
        yield "opposite"
    if _has_strange_word(claim_facts.rest, evidence):
        yield "word"


def _has_date(date: Date, evidence: _QuoteEvidence) -> bool:
    return any(date.is_within(quoted) for quoted in evidence.facts.dates)


def _figure_faults(
    claim: str, claim_facts: TextFigures, evidence: _QuoteEvidence
) -> Iterator[ClaimFault]:
    values = {figure.value for figure in evidence.figures} | {
        NUMBERS[word] for word in lower_words(evidence.quote) if word in NUMBERS
    }
    spoken = {
        NUMBERS[word]
        for word in lower_words(claim_facts.rest)
        if word in NUMBERS and word not in _VAGUE_NUMBERS
    }
    if spoken - values or _repeats_figure(claim, evidence):
        yield "figure"
    for figure in claim_facts.figures:
        if figure.value not in values:
            yield "figure"
        elif not _has_unit(figure, evidence):
            yield "unit"


def _repeats_figure(claim: str, evidence: _QuoteEvidence) -> bool:
    """Tell whether a close claim repeats a figure more often than its quote.

    It then replaced another figure: "from 45 to 45" of "from 45 to 55".
    """
    in_claim = Counter(figure.value for figure in all_figures(claim))
    in_quote = Counter(figure.value for figure in evidence.figures)
    is_repeated = any(0 < in_quote[value] < count for value, count in in_claim.items())
    return is_repeated and _ordered_share(claim, evidence.quote) >= _CLOSE


def _has_unit(figure: Figure, evidence: _QuoteEvidence) -> bool:
    """Tell whether the quote gives this figure this unit; a figure without a unit always passes."""
    units = {quoted.unit for quoted in evidence.figures if quoted.value == figure.value}
    return (
        not figure.unit
        or figure.unit in units
        or (not units and _has_spoken_unit(figure, evidence))
    )


def _has_spoken_unit(figure: Figure, evidence: _QuoteEvidence) -> bool:
    """Tell whether the unit follows a number that the quote writes as a word."""
    return claim_stem(figure.unit) in evidence.stems


def _has_strange_name(claim: str, rest: str, evidence: _QuoteEvidence) -> bool:
    """Tell whether a name is not in the passage, or occurs more often than in the quote."""
    names = frozenset(map(claim_stem, _name_words(rest)))
    if names - evidence.names or _replaces_name(rest, evidence):
        return True
    in_quote, in_claim = (
        Counter(map(claim_stem, lower_words(text))) for text in (evidence.quote, rest)
    )
    is_repeated = any(0 < in_quote[name] < in_claim[name] for name in names)
    return is_repeated and _ordered_share(claim, evidence.quote) >= _CLOSE


def _replaces_name(claim: str, evidence: _QuoteEvidence) -> bool:
    """Tell whether a name of the passage replaces another name of the quote.

    In place of "it" or "the firm" it says who is meant; in place of a name it is an error.
    """
    strange = {claim_stem(word) for word in _capital_words(claim)} - evidence.stems
    if not strange:
        return False
    quote_words, claim_words = lower_words(evidence.quote), lower_words(claim)
    names = {claim_stem(word) for word in _capital_words(evidence.quote)}
    changes = SequenceMatcher(None, quote_words, claim_words, autojunk=False).get_opcodes()
    return any(
        kind == "replace"
        and names.intersection(map(claim_stem, quote_words[start:end]))
        and strange.intersection(map(claim_stem, claim_words[first:last]))
        for kind, start, end, first, last in changes
    )


def _capital_words(text: str) -> Iterator[str]:
    """Yield the words that begin with a capital, without titles and function words."""
    for name in _NAME_PATTERN.finditer(text):
        if name[0].lower() not in _TITLE_WORDS:
            yield from lower_words(_POSSESSIVE_PATTERN.sub("", name[0]))


def _name_words(claim: str) -> Iterator[str]:
    """Yield the words written as names; skip one that opens a sentence, as it may be any word."""
    for name in _NAME_PATTERN.finditer(claim):
        word = _POSSESSIVE_PATTERN.sub("", name[0])
        is_first = _OPENING.search(claim[max(0, name.start() - 4) : name.start()]) is not None
        if not is_first and word.lower() not in FUNCTION_WORDS:
            yield from lower_words(word)


def _negation_differs(claim: str, quote: str) -> bool:
    in_claim, in_quote = count_negations(claim), count_negations(_quote_up_to_claim(claim, quote))
    if in_claim > in_quote or (in_quote and not in_claim):
        return True
    # The claim is as long as its quote but has fewer negations: one was removed.
    return in_claim < in_quote and len(lower_words(claim)) >= len(lower_words(quote)) - 2 * in_quote


def _quote_up_to_claim(claim: str, quote: str) -> str:
    """Return the quote up to the end of a claim that is a stretch of it; ignore what follows.

    Text before the claim may deny it: "It is not true that sales rose".
    """
    claim_words, quote_words = " ".join(lower_words(claim)), " ".join(lower_words(quote))
    offset = f" {quote_words} ".find(f" {claim_words} ")
    return quote if offset < 0 or not claim_words else quote_words[: offset + len(claim_words)]


def _is_opposite(claim: str, quote: str) -> bool:
    claim_words, quote_words = lower_words(claim), lower_words(quote)
    return any(
        _has_word_prefix(claim_words, first)
        and _has_word_prefix(quote_words, second)
        and not (_has_word_prefix(quote_words, first) or _has_word_prefix(claim_words, second))
        for pair in _OPPOSITES
        for first, second in (pair, pair[::-1])
    )


def _has_word_prefix(words: Sequence[str], prefix: str) -> bool:
    return any(word.startswith(prefix) for word in words)


def _has_strange_word(claim: str, evidence: _QuoteEvidence) -> bool:
    """Tell whether a close claim has a word that neither the quote nor the passage has."""
    words = content_words(claim)
    # Figures and units have checks of their own.
    plain = [word for word in words if word.isalpha() and word not in NUMBERS and not is_unit(word)]
    strange = [word for word in plain if claim_stem(word) not in evidence.words]
    share = _shared_stems(words, evidence.stems)
    return bool(strange) and share >= _CLOSE and _ordered_share(claim, evidence.quote) >= _CLOSE


def _shared_stems(words: Words, stems: frozenset[str]) -> float:
    return sum(claim_stem(word) in stems for word in words) / len(words) if words else 0.0


def _ordered_share(claim: str, quote: str) -> float:
    """Return the share of the claim's content words that the quote has in the same order."""
    claim_stems = [claim_stem(word) for word in content_words(claim)]
    quote_stems = [claim_stem(word) for word in content_words(quote)]
    return _common_subsequence(claim_stems, quote_stems) / len(claim_stems) if claim_stems else 0.0


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        corner = 0
        for column, candidate in enumerate(second, 1):
            above = row[column]
            row[column] = corner + 1 if word == candidate else max(row[column], row[column - 1])
            corner = above
    return row[-1]


def _claim_doubts(claim: str, quote: str, score: float) -> Iterator[Doubt]:
    if score < _CARRIED_SHARE:
        yield "paraphrase"
    elif _ordered_share(claim, quote) < score or not _relates_alike(claim, quote):
        yield "order"
    if len(_HEDGES.findall(claim)) < len(_HEDGES.findall(quote)) and not _contains_quote(
        claim, quote
    ):
        yield "hedge"
    if count_negations(claim) != count_negations(_quote_up_to_claim(claim, quote)):
        yield "denials"


def _relates_alike(claim: str, quote: str) -> bool:
    """Tell whether the relating words stand among the others as they do in the quote."""
    claim_words, quote_words = _related_words(claim), _related_words(quote)
    quote_set = frozenset(quote_words)
    shared = [word for word in claim_words if word in quote_set or word in _RELATING_WORDS]
    return _common_subsequence(shared, quote_words) == len(shared)


def _related_words(text: str) -> list[str]:
    """Return the stems of the content words of a text, and the words that relate them."""
    return [
        word if word in _RELATING_WORDS else claim_stem(word)
        for word in lower_words(text)
        if word in _RELATING_WORDS or word not in FUNCTION_WORDS
    ]


def _contains_quote(claim: str, quote: str) -> bool:
    """Tell whether the claim contains all words of its quote, so that no hedge is missing."""
    return " ".join(lower_words(quote)) in " ".join(lower_words(claim))


def combine_verdicts(word_support: Support, score: float, judge_name: str) -> Support:
    """Combine the lexical verdict with a judge's; the judge cannot overrule a refusal."""
    if word_support.verdict == "refused":
        return word_support
    if score >= _MIN_SUPPORTED:
        return replace(word_support, verdict="supported", by=judge_name, score=score)
    if score < _MIN_WEAK:
        return replace(
            word_support, verdict="refused", by=judge_name, faults=("judged",), score=score
        )
    return replace(word_support, verdict="weak", by=judge_name, score=score)
