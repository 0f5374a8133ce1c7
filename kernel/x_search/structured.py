"""Structured output: the JSON in an answer, however it is wrapped."""

import re

import msgspec
from returns.result import Failure, Result, Success

from ..boundary import attempt

_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)


def parse_structured(answer: str) -> Result[object, str]:
    r"""Return the JSON value that ``answer`` holds, bare or fenced, or say why there is none.

    >>> parse_structured('```json\n{"a": 1}\n```').unwrap()
    {'a': 1}
    >>> parse_structured("Nothing to report.").failure()
    'the answer is not JSON'
    """
    text = answer.strip()
    if not text:
        return Failure("the answer is empty")
    candidates = [text, *(found[1] for found in _FENCE.finditer(text))]
    for candidate in candidates:
        parsed = attempt(lambda written=candidate: msgspec.json.decode(written))  # type: ignore[misc]
        if isinstance(parsed, Success):
            return Success(parsed.unwrap())
    return Failure("the answer is not JSON")
