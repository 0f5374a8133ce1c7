"""Spelling variants of query words that the index has: e-mail and email, nodejs, PEP484.

A variant counts as the typed words do, no more: as words of their own rare variants scored too high
(0.01 of nDCG lost on LibreOffice's help, where they are names of a library). A word that the index
lacks is also searched by its parts, or else by its beginning: a word without its accents often has
another stem.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec

from ...language.folding import fold_letters
from ...language.scripts import find_words, has_unspaced
from ...language.spelling_variants import identifier_parts, spelling_variants
from ...language.tokenising import content_terms, terms_of_word
from .passage_terms import identifier_part_mark
from .query import MAX_QUERY_TERMS, QueryPlan, SpellingVariant
from .word_engine import Words
from .word_queries import phrase_query

# Longer queries have enough other words.
_MAX_VARIED_WORDS = 12
_MIN_TAIL_CHARS, _MIN_HALF_CHARS, _MAX_SPLIT_CHARS = 2, 3, 40
_MIN_TERM_START_CHARS, _MAX_ENDING_CHARS = 5, 4
_MAX_PREFIX_TERMS = 3
# Limit of passages with the rarest word of a variant: letters that occur in all texts (A.I.) take
# the engine longer than all other work.
_MAX_VARIANT_PASSAGES, _MAX_VARIANT_SHARE = 1000, 0.05


def add_spelling_variants(
    plan: QueryPlan, text: str, languages: Sequence[str], words: Words
) -> QueryPlan:
    """Return a plan that also searches for spelling variants of the words of ``text``."""
    typed = find_words(text)
    if not plan.terms or has_unspaced(text) or not 0 < len(typed) <= _MAX_VARIED_WORDS:
        return plan
    terms_by_word = [(word, _terms_in_languages([word], languages)) for word in typed]
    typed_terms = list({term for _, terms in terms_by_word for term in terms})
    counts = dict(zip(typed_terms, words.document_frequencies(typed_terms), strict=True))
    missing = [word for word, terms in terms_by_word if not any(map(counts.get, terms))]
    part_terms = [_indexed_part_terms(word, languages, words) for word in missing]
    new_terms = [term for terms in part_terms for term in terms if term not in plan.terms]
    # The index has a term as a word, or as part of an identifier.
    spellings = [(term, identifier_part_mark(term)) for term in new_terms]
    content = content_terms(
        [pair[0] for pair in spellings if any(words.document_frequencies(pair))]
    )
    return msgspec.structs.replace(
        plan,
        terms=(*plan.terms, *content)[:MAX_QUERY_TERMS],
        variants=tuple(_indexed_variants(plan, text, languages, words)),
    )


def _indexed_variants(
    plan: QueryPlan, text: str, languages: Sequence[str], words: Words
) -> Iterator[SpellingVariant]:
    """Yield the variants that the index has, in each language that stems them differently."""
    plan_terms = frozenset(plan.terms)
    variants = {
        (typed, _terms_run(variant, language)): language
        for typed, variant in spelling_variants(text)
        for language in languages
    }
    variant_terms = list({term for _, variant in variants for term in variant})
    counts = dict(zip(variant_terms, words.document_frequencies(variant_terms), strict=True))
    max_passages = max(_MAX_VARIANT_PASSAGES, words.passage_count() * _MAX_VARIANT_SHARE)
    for (typed, variant), language in variants.items():
        # A variant without a new term adds nothing.
        min_count = min(map(counts.__getitem__, variant), default=0)
        if 0 < min_count <= max_passages and not plan_terms.issuperset(variant):
            stands_for = tuple(term for term in _terms_run(typed, language) if term in plan_terms)
            is_word = len(variant) == 1
            if stands_for and (is_word or words.count_matches(phrase_query(variant)) > 0):
                yield SpellingVariant(typed=stands_for, other=variant)


def _terms_run(written: Sequence[str], language: str) -> tuple[str, ...]:
    return tuple(term for word in written for term in terms_of_word(word, language))


def _indexed_part_terms(word: str, languages: Sequence[str], words: Words) -> list[str]:
    """Return the terms of the parts of a word, else terms of the index with another ending."""
    named = [part for part in identifier_parts(word) if len(part) > 1 or part.isdigit()]
    parts = named or _indexed_halves(word, languages, words)
    if parts or not word.isalpha():
        return _terms_in_languages(parts, languages)
    return _longest_indexed_prefix(fold_letters(word), words) or [
        longer
        for term in _terms_in_languages([word], languages)
        for longer in _indexed_extensions(term, words)
    ]


def _longest_indexed_prefix(word: str, words: Words) -> list[str]:
    """Return the longest term of the index that is the beginning of a word without an ending."""
    min_chars = max(_MIN_TERM_START_CHARS, len(word) - _MAX_ENDING_CHARS)
    prefixes = [word[:end] for end in range(len(word), min_chars - 1, -1)]
    counts = zip(prefixes, words.document_frequencies(prefixes), strict=True)
    return [prefix for prefix, count in counts if count][:1]


def _indexed_extensions(term: str, words: Words) -> list[str]:
    """Return the commonest terms of the index that are this term with an ending."""
    if len(term) < _MIN_TERM_START_CHARS:
        return []
    longer_terms = (longer for longer, _ in words.terms_with_prefix(term, _MAX_PREFIX_TERMS))
    return [longer for longer in longer_terms if len(longer) <= len(term) + _MAX_ENDING_CHARS]


def _indexed_halves(word: str, languages: Sequence[str], words: Words) -> tuple[str, ...]:
    """Return the two words that a word is composed of, if the index has both: node and js."""

    def count(half: str) -> int:
        return max(words.document_frequencies(_terms_in_languages([half], languages)), default=0)

    ends = range(_MIN_HALF_CHARS, len(word[:_MAX_SPLIT_CHARS]) - _MIN_TAIL_CHARS + 1)
    splits = ((word[:end], word[end:]) for end in ends)
    best_count, halves = max(((min(map(count, pair)), pair) for pair in splits), default=(0, ()))
    return halves if best_count else ()


def _terms_in_languages(texts: Sequence[str], languages: Sequence[str]) -> list[str]:
    terms = [terms_of_word(text, language) for text in texts for language in languages]
    return list(dict.fromkeys(chain.from_iterable(terms)))
