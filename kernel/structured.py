"""JSON out of a model's text: it was asked for JSON alone, and said more around it."""

import json
import re

_FENCED = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)```", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_MOST_STARTS = 64
_DECODER = json.JSONDecoder()


def parse_structured(text: str) -> object:
    """Return the JSON value in a text; None when there is none, which is no reason to fail.

    The whole text comes first, then a fenced block, then the first object or list in it.

    >>> parse_structured('Here you are: {"a": 1}. Bye!')
    {'a': 1}
    """
    for whole in (text, *_FENCED.findall(text)):
        value = _decoded(whole.strip(), whole=True)
        if value is not None:
            return value
    for count, opening in enumerate(_OPENING.finditer(text)):
        if count == _MOST_STARTS:
            break
        value = _decoded(text[opening.start() :], whole=False)
        if value is not None:
            return value
    return None


def _decoded(text: str, *, whole: bool) -> object:
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if not whole or end == len(text) else None
