"""What a page's linked data calls an ingredient belongs to the page, whatever it looks like.

Most are items to tick off, and controls are no text anywhere else.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ..page_segments import TextRun

_WORD: Final = re.compile(r"\w+")
_TOLD: Final = "recipeIngredient"
_MAX_INGREDIENTS: Final = 200
_CERTAIN: Final = 0.9


def with_ingredients(
    things: Iterable[dict[str, object]], runs: Sequence[TextRun], chances: list[float]
) -> list[float]:
    """Return how likely each run is, where those that are an ingredient are nearly certain."""
    told = [named for thing in things if isinstance(named := thing.get(_TOLD), list)]
    names = {
        _plain(name) for named in told for name in named[:_MAX_INGREDIENTS] if isinstance(name, str)
    }
    names.discard("")
    if not names:
        return chances
    return [
        max(chance, _CERTAIN) if _plain(run.text) in names else chance
        for run, chance in zip(runs, chances, strict=True)
    ]


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
