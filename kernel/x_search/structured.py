"""Structured output: the JSON in an answer, bare or fenced."""

import re
from collections.abc import Iterable, Iterator

import msgspec
from returns.result import Failure, Result, Success

from ..boundary import attempt

_FENCE = "```"
_FENCED = re.compile(r"```[\w+-]*(.*?)```", re.DOTALL)
_MOST_LEVELS = 100


def parse_structured(answer: str) -> Result[object, str]:
    r"""Return the JSON value that ``answer`` is, also between fences, or say why there is none.

    >>> parse_structured('```json\n{"a": 1}\n```').unwrap()
    {'a': 1}
    >>> parse_structured("Nothing to report.").failure()
    'the answer is not JSON'
    """
    if not answer.strip():
        return Failure("the answer is empty")
    for candidate in _candidates(answer):
        parsed = _decoded(candidate)
        if isinstance(parsed, Success):
            return parsed if _is_shallow(parsed.unwrap()) else Failure("the answer goes too deep")
    return Failure("the answer is not JSON")


def _candidates(answer: str) -> Iterator[str]:
    yield answer.strip()
    for fenced in _FENCED.finditer(answer):
        yield fenced[1]
    # JSON that holds fences itself ends at the last of them.
    inside = answer.partition(_FENCE)[2].rpartition(_FENCE)[0]
    yield inside.partition("\n")[2]


def _decoded(text: str) -> Result[object, str]:
    decoded = attempt(lambda: msgspec.json.decode(text))
    return decoded.alt(lambda crash: crash.error)


def _is_shallow(value: object) -> bool:
    """Tell whether everybody after us can walk through the value without losing the ground."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [inner for each in level for inner in _inside(each)]
    return not level


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
