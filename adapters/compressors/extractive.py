"""A compressor without a model: it keeps the sentences that answer the question, word for word.

The same page and instruction always give the same text. Code blocks, tables and figures are kept
whole or not at all, everything stays in its order, and ``[…]`` stands where something was left out.
"""

from collections.abc import Sequence

from returns.result import Result, Success

from ...ports.errors import WebError
from .ranking import rank
from .units import Unit, units

BUDGET = 5000
OMITTED = "[…]"


class ExtractiveCompressor:
    """A ``Compressor``: query-focused extracts of at most ``budget`` characters."""

    name = "extractive"

    def __init__(self, budget: int = BUDGET) -> None:
        """Keep at most ``budget`` characters."""
        self._budget = budget

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return what of ``text`` is worth most to someone who asks ``instruction``."""
        return Success(extract(text, instruction, self._budget))


def extract(text: str, instruction: str, budget: int = BUDGET) -> str:
    """Return at most ``budget`` characters of ``text``, chosen by ``instruction``. Pure."""
    if len(text) <= budget:
        return text
    parts = units(text)
    worth = rank(parts, instruction) if parts else []
    chosen = _choose(parts, worth, budget)
    return _joined(parts, chosen)[:budget]


def _choose(parts: Sequence[Unit], worth: Sequence[float], budget: int) -> set[int]:
    """Take the units that are worth most, as long as they fit with the marks between them."""
    chosen: set[int] = set()
    # What has been taken, counted as if nothing were side by side: never too little.
    left = budget - _cost(OMITTED)
    for at in sorted(range(len(parts)), key=lambda at: (-worth[at], at)):
        for wanted in (_heading_of(parts, at), at):
            if wanted is None or wanted in chosen:
                continue
            cost = _added(parts, chosen, wanted)
            if cost <= left:
                chosen.add(wanted)
                left -= cost
    return chosen


def _added(parts: Sequence[Unit], chosen: set[int], at: int) -> int:
    """Return how much longer the text gets with one unit more: marks come and go around it."""
    before, after = at - 1 in chosen, at + 1 in chosen
    cost = len(parts[at].text) + len(parts[at].gap)
    if not before and not after:
        return cost + _cost(OMITTED)
    return cost + (len(parts[at + 1].gap) if after else 0)


def _cost(mark: str) -> int:
    return len(mark) + len("\n\n") * 2


def _heading_of(parts: Sequence[Unit], at: int) -> int | None:
    for above in range(at - 1, -1, -1):
        if parts[above].kind == "heading":
            return above
    return None


def _joined(parts: Sequence[Unit], chosen: set[int]) -> str:
    pieces: list[str] = []
    last = -1
    for at in sorted(chosen):
        if at == last + 1:
            pieces.append(parts[at].gap if pieces else "")
        elif pieces and parts[last].block == parts[at].block and parts[at].gap == " ":
            pieces.append(f" {OMITTED} ")
        else:
            pieces.append(f"\n\n{OMITTED}\n\n" if pieces else f"{OMITTED}\n\n")
        pieces.append(parts[at].text)
        last = at
    if last < len(parts) - 1 or not pieces:
        pieces.append(f"\n\n{OMITTED}" if pieces else OMITTED)
    return "".join(pieces)
