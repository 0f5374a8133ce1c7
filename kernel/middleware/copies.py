"""Payloads handed to callbacks are copies: nothing that a callback keeps or changes is ours."""

import copy
from typing import TypeVar

from ..boundary import attempt

Payload = TypeVar("Payload")


def fresh(payload: Payload) -> Payload:
    """Return a deep copy; of what cannot be copied deeply, as much of one as there can be.

    >>> inner = {"a": [1]}
    >>> fresh(inner) == inner, fresh(inner)["a"] is inner["a"]
    (True, False)
    """
    return attempt(lambda: copy.deepcopy(payload)).value_or(_shallow(payload))


def _shallow(payload: Payload) -> Payload:
    return attempt(lambda: copy.copy(payload)).value_or(payload)
