"""The second pass: BM25 over weighted fields, and a little for words that stand together."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

import msgspec

from ...language.folding import thai_spelling
from ...language.scripts import is_unspaced, word_pattern
from ...language.stems import ENGLISH
from ...language.tokenising import terms_of_word
from ..passage_terms import HEADINGS_WEIGHT, TITLE_WEIGHT, PassageText, term_saturation
from ..query import QueryPlan
from .term_matches import TermMatches, term_prefix

# What another writing counts, of what the word counts as it was typed.
VARIANT_WEIGHT = 0.7


class VariantTerm(msgspec.Struct, frozen=True, kw_only=True):
    """Words side by side that are another writing of a term, and what they count at most.

    ``boost`` is how many times as much that is as the engine says.
    """

    run: tuple[str, ...]
    worth: float
    boost: float


class QueryTerm(msgspec.Struct, frozen=True, kw_only=True):
    """One thing looked for, in how many passages it is, and what it counts.

    ``begins`` stands for every word that begins so; ``times`` is how often the query has it, or
    less for a word that only builds its sentence.
    ``is_inside`` is whether it is looked for as part of names, too, ``is_end`` as that of
    compounds. ``pairs`` are the commonest that begin with a sign, and how rare each is. ``others``
    count where they count more than the term itself.
    """

    text: str
    begins: bool
    count: int
    rarity: float
    times: float = 1
    is_inside: bool = False
    is_end: bool = False
    pairs: tuple[tuple[str, float], ...] = ()
    others: tuple[VariantTerm, ...] = ()


class QueryTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, its terms, and the length that passages usually have.

    Nothing is found by the terms that are ``function_word_term``; what is found is the better for
    them. Some of them are ``aside``, too. The engine is not asked for terms that are ``aside``: too
    many passages have them, and they are counted in the texts of those that are found by the
    others.
    """

    plan: QueryPlan
    terms: list[QueryTerm]
    usual: float
    aside: frozenset[str] = frozenset()
    framing: tuple[QueryTerm, ...] = ()

    def asked(self) -> list[QueryTerm]:
        """Return the terms that passages are found by."""
        return [term for term in self.terms if term.text not in self.aside]

    def asked_framing(self) -> list[QueryTerm]:
        """Return the terms by which the engine ranks what it finds."""
        return [term for term in self.framing if term.text not in self.aside]


# What a word that only builds the sentence counts, of what others do, and how rare it may be at
# most: in a list of names each of them is.
_FRAMING = 0.7
_FRAMING_RARITY = 1.5


def function_word_term(text: str, count: int, times: int, passages: int) -> QueryTerm:
    """Return a term that only builds the sentence."""
    rare = inverse_frequency(count, passages)
    share = times * _FRAMING * min(1.0, _FRAMING_RARITY / rare)
    return QueryTerm(text=text, begins=False, count=count, rarity=rare * share, times=share)


# So long may the lists of such words be together that the engine goes through.
_FRAMING_LISTED = 50_000


def terms_to_skip(framing: Sequence[QueryTerm]) -> frozenset[str]:
    """Return those to set aside: the commonest, which tell the least."""
    ordered = sorted(framing, key=lambda term: term.count)
    sums = accumulate(term.count for term in ordered)
    listed = zip(ordered, sums, strict=True)
    return frozenset(term.text for term, total in listed if total > _FRAMING_LISTED)


# How many passages the engine looks at for a query of pairs, all their lists together: so many at
# least, or this share of all; and how many pairs it is asked for at least. The lists of a question
# of forty pairs are together several times as long as all passages.
MAX_LISTED_PASSAGES = 30_000
_LISTED_SHARE = 0.3
_MIN_SKIPPED_RANK = 6


def common_terms(terms: Sequence[QueryTerm], passages: int) -> frozenset[str]:
    """Return the terms to set aside, which would take the most time and tell the least.

    Words are counted in texts anyway, and have shorter lists: none of theirs is set aside.
    """
    most = max(MAX_LISTED_PASSAGES, passages * _LISTED_SHARE)
    listed = 0
    aside: list[str] = []
    for number, term in enumerate(sorted(terms, key=lambda term: term.count)):
        listed += term.count
        is_long = listed > most and number >= _MIN_SKIPPED_RANK and is_unspaced(term.text)
        # A sign that is common is found by its commonest pairs.
        if is_long or (term.pairs and term.count > MAX_LISTED_PASSAGES):
            aside.append(term.text)
    return frozenset(aside)


def inverse_frequency(count: int, passages: int) -> float:
    """Return BM25's inverse document frequency of what so many of the passages have."""
    return math.log(1 + max(passages - count + 0.5, 0.5) / (count + 0.5))


# Where words stand side by side that are another writing of what is looked for.

Run = tuple[str, ...]


def find_runs(text: str, run: Run, language: str = ENGLISH) -> list[tuple[int, int]]:
    """Return from where to where words of these terms stand side by side.

    >>> find_runs("An e-mail, no email", ("e", "mail"))
    [(3, 9)]
    """
    if language == ENGLISH and all(map(str.isascii, run)):
        return _english(text, run)
    words = list(word_pattern(text).finditer(text))
    found = [terms_of_word(word[0], language) for word in words]
    wanted, length = [[term] for term in run], len(run)
    starts = (at for at in range(len(words)) if found[at : at + length] == wanted)
    return [(words[at].start(), words[at + length - 1].end()) for at in starts]


def _english(text: str, run: Run) -> list[tuple[int, int]]:
    small = text.lower()
    small = small if len(small) == len(text) else text
    # Most texts have none: to see that takes a tenth of what the pattern takes.
    if max(map(term_prefix, run), key=len) not in small:
        return []
    likely = (match for match in _pattern(run).finditer(small) if _begins(match))
    return [match.span() for match in likely if _terms(match) == list(run)]


def _begins(likely: re.Match[str]) -> bool:
    """Tell whether a word begins there: a pattern that asks for it takes five times as long."""
    return not likely.string[max(0, likely.start() - 1) : likely.start()].isalnum()


def _terms(likely: re.Match[str]) -> list[str]:
    return [term for word in likely.groups() for term in terms_of_word(word)]


@lru_cache(maxsize=256)
def _pattern(run: Run) -> re.Pattern[str]:
    """Return what words of these terms look like in English: each begins alike."""
    begun = (re.escape(term_prefix(term)) for term in run)
    # No other word than itself has a single letter as its term.
    words = (f"({begin})" if len(begin) == 1 else rf"({begin}[^\W_]*)" for begin in begun)
    return re.compile(r"[\W_]+".join(words) + r"(?![^\W_])")


# The second pass: BM25 over weighted fields, and a little for words that stand together.

# What words side by side are worth beside the words themselves, as in the sequential dependence
# model of Metzler and Croft, and how far apart they may be.
PROXIMITY_WEIGHT = 0.2
_MAX_PROXIMITY_WORDS = 8
_MAX_POSITIONS = 50
# What a part of a name counts, where the word itself is not there.
_IN_A_NAME = 0.4
_NO_RUNS: Mapping[Run, float] = {}


def score_passage(
    matches: TermMatches,
    terms: Sequence[QueryTerm],
    soft: float,
    others: Mapping[Run, float] = _NO_RUNS,
    framing: Sequence[QueryTerm] = (),
) -> float:
    """Return how well a passage answers the terms; more is better.

    ``soft`` is its softness, and ``others`` how often it has other writings of the terms. Those of
    ``framing`` count wherever they stand.
    """
    places = matches.places
    has_above = matches.title or matches.headings
    total = _framed(matches, framing, soft) if framing else 0.0
    for term in terms:
        count = len(places.get(term.text, ())) + (_above(matches, term) if has_above else 0.0)
        if not count and term.text in matches.names:
            count = _IN_A_NAME
        own = term.rarity * count / (count + soft) if count else 0.0
        total += max(own, _otherwise(others, term, soft)) if term.others else own
    for one, other in pairwise(terms):
        if one.text in places and other.text in places:
            closeness = _closeness(places[one.text], places[other.text])
            worth = PROXIMITY_WEIGHT * min(one.rarity, other.rarity)
            total += worth * closeness / (closeness + soft)
    return total


def _framed(found: TermMatches, framing: Sequence[QueryTerm], soft: float) -> float:
    """Return what the words count that only build the sentence."""
    has_above = found.title or found.headings
    total = 0.0
    for term in framing:
        count = found.framing.get(term.text, 0) + (_above(found, term) if has_above else 0.0)
        total += term.rarity * count / (count + soft)
    return total


def counted_runs(text: PassageText, runs: Collection[Run]) -> dict[Run, float]:
    """Return how often a passage has words side by side, by the weight of its fields."""

    def count(run: Run) -> float:
        def times(field: str) -> int:
            return len(find_runs(field, run, text.language)) if field else 0

        above = TITLE_WEIGHT * times(text.title) + HEADINGS_WEIGHT * times(text.headings)
        return times(text.body) + above

    return {run: count(run) for run in runs}


def _otherwise(others: Mapping[Run, float], term: QueryTerm, soft: float) -> float:
    """Return what a term counts by another way to write it."""
    counts = ((others.get(each.run, 0.0), each.worth) for each in term.others)
    return max(worth * count / (count + soft) for count, worth in counts)


class CountedPairs:
    """Pairs of characters, and signs, that passages were not found by, or not by all of them.

    They are looked for as they are mostly written: to fold the texts would take longer than this.
    """

    def __init__(self, terms: Sequence[QueryTerm], usual_length: float) -> None:
        """Get ready for many passages, which usually have this length."""
        self._forms = [(thai_spelling(term.text), term.rarity) for term in terms]
        self._usual = usual_length

    def score(self, fields: Sequence[str], length: int) -> float:
        """Return what they count in a passage."""
        if not self._forms:
            return 0.0
        soft = term_saturation(length, self._usual)
        count = "\n".join(fields).count
        counts = [(count(form), rarity) for form, rarity in self._forms]
        return sum(rarity * times / (times + soft) for times, rarity in counts if times)


def _above(found: TermMatches, term: QueryTerm) -> float:
    """Return how often a term is in the title and the headings, by their weight."""

    def count(words: list[str]) -> int:
        if term.begins:
            return sum(word.startswith(term.text) for word in words)
        return words.count(term.text)

    return TITLE_WEIGHT * count(found.title) + HEADINGS_WEIGHT * count(found.headings)


def _closeness(ones: list[int], others: list[int]) -> float:
    """Add up 1 for each pair side by side in the right order, less for farther or the other way."""
    total, first = 0.0, 0
    near = others[:_MAX_POSITIONS]
    for one in ones[:_MAX_POSITIONS]:
        # Both go up: what is too far back for this one is too far back for all that follow.
        while first < len(near) and near[first] < one - _MAX_PROXIMITY_WORDS:
            first += 1
        for other in near[first:]:
            distance = other - one
            if distance > _MAX_PROXIMITY_WORDS:
                break
            if distance:
                total += 1 / distance if distance > 0 else -0.5 / distance
    return total
