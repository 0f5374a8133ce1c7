"""Words of a query as others write them: two as one (e-mail, email), one as two (nodejs, PEP484).

What the index has of such writings counts as the words themselves do, no more: as words of their
own they would count too much for being rare (0.01 of nDCG lost on LibreOffice's help, where they
are names of a library). Only a word that the index has nowhere is also looked for in pieces that
stand apart, or else by how it begins: without its accents a word is often stemmed otherwise.
"""

from collections.abc import Iterator, Sequence

import msgspec

from ..language.folding import fold
from ..language.scripts import find_words, has_unspaced
from ..language.spelling_variants import identifier_parts, spelling_variants
from ..language.tokenising import content_terms, terms_of_word
from .passage_terms import inside_mark
from .query import MAX_QUERY_TERMS, QueryPlan, SpellingVariant
from .words.engine import Words
from .words.engine_queries import phrase_query

# In a longer text the other words tell enough.
_MAX_VARIED_WORDS = 12
_SHORTEST, _SHORT, _LONGEST = 2, 3, 40
_SHORTEST_BEGIN, _LONGEST_ENDING = 5, 4
_MAX_PREFIX_TERMS = 3
# How many passages may have the rarest word of a writing: letters that all texts have (A.I.) take
# the engine longer than all else.
_FEW, _FEW_SHARE = 1000, 0.05


def widen_plan(plan: QueryPlan, text: str, languages: Sequence[str], words: Words) -> QueryPlan:
    """Return a plan that also looks for other writings of the words of ``text``."""
    typed = find_words(text)
    if not plan.terms or has_unspaced(text) or not 0 < len(typed) <= _MAX_VARIED_WORDS:
        return plan
    lost = [word for word in typed if not any(words.passages_with(_terms([word], languages)))]
    found = [_pieces(word, languages, words) for word in lost]
    others = [term for terms in found for term in terms if term not in plan.terms]
    further = content_terms([term for term in others if _is_there(term, words)])
    return msgspec.structs.replace(
        plan,
        terms=(*plan.terms, *further)[:MAX_QUERY_TERMS],
        writings=tuple(_writings(plan, text, languages, words)),
    )


def _is_there(term: str, words: Words) -> bool:
    """Tell whether the index has a term, as a word or as part of a name."""
    return any(words.passages_with((term, inside_mark(term))))


def _writings(
    plan: QueryPlan, text: str, languages: Sequence[str], words: Words
) -> Iterator[SpellingVariant]:
    """Yield what the index has of other writings, in each language that says them otherwise."""
    looked_for = frozenset(plan.terms)
    others = {
        (typed, _run(other, language)): language
        for typed, other in spelling_variants(text)
        for language in languages
    }
    every = list({term for _, other in others for term in other})
    counts = dict(zip(every, words.passages_with(every), strict=True))
    most = max(_FEW, words.passages() * _FEW_SHARE)
    for (typed, other), language in others.items():
        # What has no other term than those that are looked for is no other writing.
        fewest = min(map(counts.__getitem__, other), default=0)
        if 0 < fewest <= most and not looked_for.issuperset(other):
            stands_for = tuple(term for term in _run(typed, language) if term in looked_for)
            if stands_for and _are_side_by_side(other, words):
                yield SpellingVariant(typed=stands_for, other=other)


def _run(written: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(term for word in written for term in terms_of_word(word, language))


def _are_side_by_side(run: tuple[str, ...], words: Words) -> bool:
    return len(run) == 1 or words.count(phrase_query(run)) > 0


def _pieces(word: str, languages: Sequence[str], words: Words) -> list[str]:
    """Return the terms of what a word is put together of, else those with another ending."""
    apart = _apart(word, languages, words)
    if apart or not word.isalpha():
        return _terms(apart, languages)
    whole = fold(word)
    return _begins(whole, words) or [
        begun for term in _terms([word], languages) for begun in _begun(term, words)
    ]


def _begins(whole: str, words: Words) -> list[str]:
    """Return the longest term of the index that a word begins with, but for an ending."""
    shortest = max(_SHORTEST_BEGIN, len(whole) - _LONGEST_ENDING)
    begins = [whole[:end] for end in range(len(whole), shortest - 1, -1)]
    known = zip(begins, words.passages_with(begins), strict=True)
    return [begin for begin, count in known if count][:1]


def _begun(term: str, words: Words) -> list[str]:
    """Return the commonest terms of the index that are this one and an ending."""
    if len(term) < _SHORTEST_BEGIN:
        return []
    longest = len(term) + _LONGEST_ENDING
    return [each for each, _ in words.beginning(term, _MAX_PREFIX_TERMS) if len(each) <= longest]


def _apart(word: str, languages: Sequence[str], words: Words) -> Sequence[str]:
    """Return the words that one is put together of."""
    pieces = [piece for piece in identifier_parts(word) if len(piece) > 1 or piece.isdigit()]
    return pieces or _halves(word, languages, words)


def _halves(word: str, languages: Sequence[str], words: Words) -> tuple[str, ...]:
    """Return the two words that one is put together of, where the index has both: node and js."""

    def count(half: str) -> int:
        return max(words.passages_with(_terms([half], languages)), default=0)

    known = ((min(map(count, halves)), halves) for halves in _cuts(word))
    most, halves = max(known, default=(0, ()))
    return halves if most else ()


def _cuts(word: str) -> Iterator[tuple[str, str]]:
    """Yield where a word may be cut: its end may be as short as that of nodejs."""
    for at in range(_SHORT, len(word[:_LONGEST]) - _SHORTEST + 1):
        yield word[:at], word[at:]


def _terms(texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    return list(
        dict.fromkeys(
            term
            for text in texts
            for language in languages
            for term in terms_of_word(text, language)
        )
    )
