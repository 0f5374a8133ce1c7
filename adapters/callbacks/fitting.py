"""Callbacks that name what they want to be told are told that, and nothing else."""

import inspect
from collections.abc import Mapping

from ...ports.middleware import Callback

# Without it a callback cannot go on: one that does not take it is not what it was registered as.
_NEEDED = ("next_call",)


def fitted(callback: Callback, told: Mapping[str, object]) -> dict[str, object]:
    """Return what ``callback`` takes of what it could be told; all of it when it does not say."""
    try:
        # Of what is called, not of what a decorator put it around.
        signature = inspect.signature(callback, follow_wrapped=False)
    except (TypeError, ValueError):
        return dict(told)
    parameters = signature.parameters.values()
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return dict(told)
    names = {each.name for each in parameters if each.kind is not each.POSITIONAL_ONLY}
    return {name: value for name, value in told.items() if name in names or name in _NEEDED}
