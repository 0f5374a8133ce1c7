"""Whether a quote carries a claim, by its words alone.

It sees figures, units, dates, names, denials, and in a claim that keeps close to its quote every
word. It cannot see who did what to whom, nor judge a paraphrase, and says so.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypeAlias

import msgspec

from ....ports.evidence import ClaimFault, Doubt, Support, SupportQuestion
from .content_words import FUNCTION_WORDS, NUMBERS, claim_stem, content_words, lower_words
from .figures import Date, Figure, TextFigures, all_figures, is_unit, read_figures
from .negation import count_negations

LEXICAL = "words"
# A claim of which so many words stand in its quote is held to the letter.
_CLOSE = 0.6
_CARRIED = 0.8
_LIKELY, _UNLIKELY = 0.5, 0.3

_NAME = re.compile(r"\b[A-Z][\w\u2019'-]*[a-z][\w-]*|\b[A-Z]{2,}[\w-]*|\b[A-Z][a-z]?\b(?!\.)")
_OPENING = re.compile(r"(?:\A|[.!?:]\s|[\"\u201c(]\s?|\n)\s*\Z")
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
# Number words that count nothing, or stand behind the number that they multiply.
_VAGUE = frozenset(("one", "zero", "hundred", "dozen"))
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
# Small words that tell who did what to whom, and which way: from Cork to Faro, she paid him.
_RELATING = frozenset((
    "i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "they",
    "them", "their", "from", "to", "by", "than", "before", "after", "against", "into", "whom",
))  # fmt: skip
# What may stand in place of a name, or before one.
_NAMELESS = FUNCTION_WORDS | {
    "mr", "mrs", "ms", "dr", "prof", "professor", "president", "minister", "senator", "judge",
    "sir",
}  # fmt: skip
# Words that only say where the rest is from.
_SOURCE = "(?:page|article|source|passage|text|site|report|quote)"
_LEAD_IN = re.compile(
    rf"\A(?:according to|as per) (?:the|this) {_SOURCE},\s*"
    rf"|\Athe {_SOURCE} (?:says|states|reports|notes) that\s",
    re.IGNORECASE,
)

Words: TypeAlias = tuple[str, ...]


def check_claim(question: SupportQuestion) -> Support:
    """Return whether the quote carries the claim, as far as words can tell.

    >>> quote = "Sales rose by 5.2 % in May, the firm said."
    >>> claim = "Sales rose by 5.3 % in May."
    >>> check_claim(SupportQuestion(claim=claim, quote=quote, passage=quote)).faults
    ('figure',)
    """
    claim, quote = _LEAD_IN.sub("", question.claim), question.quote
    there = _Evidence(quote, question.passage)
    faults = tuple(dict.fromkeys(_faults(claim, there)))
    words = content_words(claim)
    score = _share(words, there.stems)
    doubts = tuple(_doubts(claim, quote, score))
    if faults:
        return Support(verdict="refused", by=LEXICAL, faults=faults, doubts=doubts, score=score)
    return Support(
        verdict="weak" if doubts else "supported", by=LEXICAL, doubts=doubts, score=score
    )


class _Evidence:
    """What a quote holds, and the names around it."""

    def __init__(self, quote: str, passage: str) -> None:
        self.quote = quote
        self.facts = read_figures(quote)
        self.figures = all_figures(quote)
        self.stems = frozenset(map(claim_stem, lower_words(quote)))
        self.names = self.stems | frozenset(map(claim_stem, _capitals(passage)))
        self.words = self.stems | frozenset(map(claim_stem, lower_words(passage)))


def _faults(claim: str, there: _Evidence) -> Iterator[ClaimFault]:
    claim_facts = read_figures(claim)
    if any(not _dated(date, there) for date in claim_facts.dates):
        yield "date"
    yield from _figure_faults(claim, claim_facts, there)
    if _strange_name(claim, claim_facts.rest, there):
        yield "name"
    if _denial_differs(claim, there.quote):
        yield "negation"
    if _is_opposite(claim, there.quote):
        yield "opposite"
    if _strange_word(claim_facts.rest, there):
        yield "word"


def _dated(date: Date, there: _Evidence) -> bool:
    return any(date.within(other) for other in there.facts.dates)


def _figure_faults(claim: str, claim_facts: TextFigures, there: _Evidence) -> Iterator[ClaimFault]:
    values = {figure.value for figure in there.figures} | {
        NUMBERS[word] for word in lower_words(there.quote) if word in NUMBERS
    }
    spoken = {
        NUMBERS[word]
        for word in lower_words(claim_facts.rest)
        if word in NUMBERS and word not in _VAGUE
    }
    if spoken - values or _repeats_a_figure(claim, there):
        yield "figure"
    for figure in claim_facts.figures:
        if figure.value not in values:
            yield "figure"
        elif not _has_unit(figure, there):
            yield "unit"


def _repeats_a_figure(claim: str, there: _Evidence) -> bool:
    """Tell whether a claim that keeps close to its quote has a figure more often than that has it.

    One was put where another stood: "from 45 to 45" of "from 45 to 55".
    """
    in_claim = Counter(figure.value for figure in all_figures(claim))
    known = Counter(figure.value for figure in there.figures)
    more = any(0 < known[value] < count for value, count in in_claim.items())
    return more and _in_order(claim, there.quote) >= _CLOSE


def _has_unit(figure: Figure, there: _Evidence) -> bool:
    """Tell whether the quote gives this figure this unit; a year or a count has none to give."""
    units = {other.unit for other in there.figures if other.value == figure.value}
    return not figure.unit or figure.unit in units or (not units and _spoken(figure, there))


def _spoken(figure: Figure, there: _Evidence) -> bool:
    """Tell whether a number that the quote writes as a word has the unit behind it."""
    return claim_stem(figure.unit) in there.stems


def _strange_name(claim: str, rest: str, there: _Evidence) -> bool:
    """Tell whether a name stands nowhere around, or more often than where it was copied from."""
    names = frozenset(map(claim_stem, _names(rest)))
    if names - there.names or _replaces_a_name(rest, there):
        return True
    known, in_claim = (Counter(map(claim_stem, lower_words(text))) for text in (there.quote, rest))
    more = any(0 < known[name] < in_claim[name] for name in names)
    return more and _in_order(claim, there.quote) >= _CLOSE


def _replaces_a_name(claim: str, there: _Evidence) -> bool:
    """Tell whether a name of the passage stands where the quote has another.

    In place of "it" or "the firm" it tells who is meant; in place of a name it tells somebody else.
    """
    strange = {claim_stem(word) for word in _capitals(claim)} - there.stems
    if not strange:
        return False
    known, claim_words = lower_words(there.quote), lower_words(claim)
    names = {claim_stem(word) for word in _capitals(there.quote)}
    changes = SequenceMatcher(None, known, claim_words, autojunk=False).get_opcodes()
    return any(
        kind == "replace"
        and names.intersection(map(claim_stem, known[start:end]))
        and strange.intersection(map(claim_stem, claim_words[first:last]))
        for kind, start, end, first, last in changes
    )


def _capitals(text: str) -> Iterator[str]:
    """Return the words that begin with a capital; those that name nobody are left out."""
    for name in _NAME.finditer(text):
        if name[0].lower() not in _NAMELESS:
            yield from lower_words(_POSSESSIVE.sub("", name[0]))


def _names(claim: str) -> Iterator[str]:
    """Return the words that are written as names; one that opens a sentence may be any word."""
    for name in _NAME.finditer(claim):
        word = _POSSESSIVE.sub("", name[0])
        opens = _OPENING.search(claim[max(0, name.start() - 4) : name.start()]) is not None
        if not opens and word.lower() not in FUNCTION_WORDS:
            yield from lower_words(word)


def _denial_differs(claim: str, quote: str) -> bool:
    denials, there = count_negations(claim), count_negations(_up_to(claim, quote))
    if denials > there or (there and not denials):
        return True
    # As long as its quote, and yet with fewer denials: one was taken out.
    return denials < there and len(lower_words(claim)) >= len(lower_words(quote)) - 2 * there


def _up_to(claim: str, quote: str) -> str:
    """Return the quote up to the end of a claim that is a stretch of it: what comes later is aside.

    What stands before it may deny it: "It is not true that sales rose".
    """
    claim_words, there = " ".join(lower_words(claim)), " ".join(lower_words(quote))
    place = f" {there} ".find(f" {claim_words} ")
    return quote if place < 0 or not claim_words else there[: place + len(claim_words)]


def _is_opposite(claim: str, quote: str) -> bool:
    claim_words, there = lower_words(claim), lower_words(quote)
    return any(
        _begins(claim_words, one)
        and _begins(there, two)
        and not (_begins(there, one) or _begins(claim_words, two))
        for pair in _OPPOSITES
        for one, two in (pair, pair[::-1])
    )


def _begins(words: Sequence[str], start: str) -> bool:
    return any(word.startswith(start) for word in words)


def _strange_word(claim: str, there: _Evidence) -> bool:
    """Tell whether a claim that keeps close to its quote has a word that nobody wrote there."""
    words = content_words(claim)
    # Figures and units have rules of their own.
    plain = [word for word in words if word.isalpha() and word not in NUMBERS and not is_unit(word)]
    strange = [word for word in plain if claim_stem(word) not in there.words]
    share = _share(words, there.stems)
    return bool(strange) and share >= _CLOSE and _in_order(claim, there.quote) >= _CLOSE


def _share(words: Words, stems: frozenset[str]) -> float:
    return sum(claim_stem(word) in stems for word in words) / len(words) if words else 0.0


def _in_order(claim: str, quote: str) -> float:
    """Return the share of the claim's content words that stand in the quote in the same order."""
    claim_stems = [claim_stem(word) for word in content_words(claim)]
    there = [claim_stem(word) for word in content_words(quote)]
    return _longest(claim_stems, there) / len(claim_stems) if claim_stems else 0.0


def _longest(one: Sequence[str], two: Sequence[str]) -> int:
    """Return how long the longest common subsequence is."""
    row = [0] * (len(two) + 1)
    for word in one:
        corner = 0
        for at, other in enumerate(two, 1):
            above = row[at]
            row[at] = corner + 1 if word == other else max(row[at], row[at - 1])
            corner = above
    return row[-1]


def _doubts(claim: str, quote: str, score: float) -> Iterator[Doubt]:
    if score < _CARRIED:
        yield "paraphrase"
    elif _in_order(claim, quote) < score or not _relates_alike(claim, quote):
        yield "order"
    if len(_HEDGES.findall(claim)) < len(_HEDGES.findall(quote)) and not _cut_away(claim, quote):
        yield "hedge"
    if count_negations(claim) != count_negations(_up_to(claim, quote)):
        yield "denials"


def _relates_alike(claim: str, quote: str) -> bool:
    """Tell whether the small words that relate others stand among them as they do in the quote."""
    claim_words, quote_words = _related(claim), _related(quote)
    known = frozenset(quote_words)
    shared = [word for word in claim_words if word in known or word in _RELATING]
    return _longest(shared, quote_words) == len(shared)


def _related(text: str) -> list[str]:
    """Return the content words of a text, and those that relate them."""
    return [
        word if word in _RELATING else claim_stem(word)
        for word in lower_words(text)
        if word in _RELATING or word not in FUNCTION_WORDS
    ]


def _cut_away(claim: str, quote: str) -> bool:
    """Tell whether the claim says all that its quote says, so that nothing can be missing."""
    return " ".join(lower_words(quote)) in " ".join(lower_words(claim))


def combine_verdicts(word_support: Support, score: float, judge_name: str) -> Support:
    """Return a verdict on words together with a judge's; he may not overrule what words refuse."""
    if word_support.verdict == "refused":
        return word_support
    if score >= _LIKELY:
        return msgspec.structs.replace(
            word_support, verdict="supported", by=judge_name, score=score
        )
    if score < _UNLIKELY:
        return msgspec.structs.replace(
            word_support, verdict="refused", by=judge_name, faults=("judged",), score=score
        )
    return msgspec.structs.replace(word_support, verdict="weak", by=judge_name, score=score)
