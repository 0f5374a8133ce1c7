"""What observers are shown of a payload: JSON, of bounded size, without secrets."""

import re
from collections.abc import Mapping

from .redact import MASK, redact

MOST_CHARACTERS = 20_000
MOST_ITEMS = 1000
_DEEPEST = 20
_SECRET_NAMES = re.compile(
    r"(?i)authorization|api[_-]?key|password|passwd|secret|credential|cookie|(?:^|_)token$"
)


def observed(value: object, depth: int = 0) -> object:
    """Return ``value`` as JSON values, texts redacted and cut, what is named a secret masked.

    >>> observed({"api_key": "x", "q": ("a", 1)})
    {'api_key': '***', 'q': ['a', 1]}
    """
    if isinstance(value, str):
        return redact(value[:MOST_CHARACTERS])
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(name): MASK if _SECRET_NAMES.search(str(name)) else observed(part, depth + 1)
            for name, part in list(value.items())[:MOST_ITEMS]
        }
    if isinstance(value, list | tuple):
        return [observed(part, depth + 1) for part in value[:MOST_ITEMS]]
    return f"<{type(value).__name__[:100]}>"
