"""Words of a query as others write them: two as one (e-mail, email), one as several (PEP484).

Only for words that the index has nowhere: looked for beside words that it has, such names count too
much for being rare (0.01 of nDCG lost on LibreOffice's help, where they are those of a library).
"""

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from ..language.scripts import words_in
from ..language.words import telling, terms
from .query import MOST_TERMS, QueryPlan
from .words.engine import Words

# In a longer text the other words tell enough.
_MOST_WORDS = 12
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def widened(plan: QueryPlan, text: str, languages: Sequence[str], words: Words) -> QueryPlan:
    """Return a plan that also looks for other writings of the words of ``text``."""
    typed = words_in(text)
    if not plan.terms or not text.isascii() or not 0 < len(typed) <= _MOST_WORDS:
        return plan
    lost = {word for word in typed if not any(words.passages_with(_terms([word], languages)))}
    if not lost:
        return plan
    joined = [one + other for one, other in pairwise(typed) if {one, other} & lost]
    apart = [piece for word in typed if word in lost for piece in pieces_of(word)]
    others = [term for term in _terms([*joined, *apart], languages) if term not in plan.terms]
    found = zip(others, words.passages_with(others), strict=True)
    further = telling([term for term, count in found if count])
    return msgspec.structs.replace(plan, terms=(*plan.terms, *further)[:MOST_TERMS])


def pieces_of(word: str) -> list[str]:
    """Return what a name is put together of; nothing for a word that is of one piece.

    >>> pieces_of("getUserName"), pieces_of("PEP484"), pieces_of("HTTPServer"), pieces_of("pump")
    (['get', 'User', 'Name'], ['PEP', '484'], ['HTTP', 'Server'], [])
    """
    pieces = _PIECE.findall(word)
    return [piece for piece in pieces if len(piece) > 1 or piece.isdigit()] if pieces[1:] else []


def _terms(texts: list[str], languages: Sequence[str]) -> list[str]:
    return list(
        dict.fromkeys(
            term for text in texts for language in languages for term in terms(text, language)
        )
    )
