"""A walk through the objects of a JSON document, in the order in which they stand there."""

from collections.abc import Iterator, Mapping

from ..values.json import mapping

# No answer is this deep or this large; who sends one is not followed to its end.
_DEEPEST = 64
_MOST = 200_000


def objects_in(document: object) -> Iterator[Mapping[str, object]]:
    """Yield every object in a document, each before those inside it."""
    waiting: list[tuple[int, object]] = [(0, document)]
    for _ in range(_MOST):
        if not waiting:
            return
        depth, value = waiting.pop()
        inside: list[object] = []
        if isinstance(value, Mapping):
            yield mapping(value)
            inside = list(value.values())
        elif isinstance(value, list | tuple):
            inside = list(value)
        if depth < _DEEPEST:
            waiting += ((depth + 1, each) for each in reversed(inside) if _holds(each))


def _holds(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)
