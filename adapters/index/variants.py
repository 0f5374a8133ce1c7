"""Words of a query as others write them: two as one (e-mail, email), one as two (nodejs, PEP484).

Only for words that the index has nowhere: looked for beside words that it has, such names count too
much for being rare (0.01 of nDCG lost on LibreOffice's help, where they are those of a library).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from ..language.names import pieces_of
from ..language.scripts import has_unspaced, words_in
from ..language.words import telling, terms
from .analysis import inside_mark
from .query import MOST_TERMS, QueryPlan
from .words.engine import Words

# In a longer text the other words tell enough.
_MOST_WORDS = 12
_SHORTEST, _SHORT, _LONGEST = 2, 3, 40


def widened(plan: QueryPlan, text: str, languages: Sequence[str], words: Words) -> QueryPlan:
    """Return a plan that also looks for other writings of the words of ``text``."""
    typed = words_in(text)
    if not plan.terms or has_unspaced(text) or not 0 < len(typed) <= _MOST_WORDS:
        return plan
    lost = {word for word in typed if not any(words.passages_with(_terms([word], languages)))}
    if not lost:
        return plan
    joined = [one + other for one, other in pairwise(typed) if {one, other} & lost]
    apart = [
        piece
        for word in typed
        if word in lost
        for piece in pieces_of(word) or _halves(word, languages, words)
    ]
    others = [term for term in _terms([*joined, *apart], languages) if term not in plan.terms]
    further = telling([term for term in others if _is_known(term, words)])
    return msgspec.structs.replace(plan, terms=(*plan.terms, *further)[:MOST_TERMS])


def _is_known(term: str, words: Words) -> bool:
    """Tell whether the index has a term, as a word or as part of a name."""
    return any(words.passages_with((term, inside_mark(term))))


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


def _terms(texts: list[str], languages: Sequence[str]) -> list[str]:
    return list(
        dict.fromkeys(
            term for text in texts for language in languages for term in terms(text, language)
        )
    )
