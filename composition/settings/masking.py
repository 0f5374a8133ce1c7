"""What must not be shown: known by its name, by who declares it, and by its shape."""

import re

from ...kernel.text.redaction import MASK, redact
from .origins import KeyPath

_SECRET = re.compile(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|keys?|tokens?|secrets?|pass(?:word|wd|phrase)?|authorization|"
    r"cookie|credentials?|bearer)$"
)


def is_secret(path: KeyPath) -> bool:
    """Tell whether a name says that its value is a key.

    >>> is_secret(("services", "lumen", "api_key")), is_secret(("cache", "minutes"))
    (True, False)
    """
    return _SECRET.search(path[-1]) is not None


def masked(value: object, *, secret: bool) -> object:
    """Return a value that can be shown: a key is masked, and so is what looks like one.

    >>> masked("https://me:hunter2@a.example/", secret=False)
    'https://***@a.example/'
    >>> masked([{"token": "x", "name": "y"}, 5], secret=False)
    [{'token': '***', 'name': 'y'}, 5]
    """
    if secret:
        return [MASK] * len(value) if isinstance(value, list | tuple) else MASK
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return [masked(item, secret=False) for item in value]
    if isinstance(value, dict):
        return {name: masked(item, secret=is_secret((str(name),))) for name, item in value.items()}
    return value
