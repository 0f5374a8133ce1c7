"""Arguments of a call that arrive in pieces, each with the path of the value it adds to.

A part names the function and says that it goes on; those that follow hold ``partialArgs``, each a
value with its ``jsonPath``; the last one does not say ``willContinue``. Vertex alone does so, where
it is asked for: https://googleapis.github.io/js-genai/release_docs/interfaces/types.PartialArg.html
(2026-11-15). Of RFC 9535 only names and indexes can stand in such a path.
"""

import re
from collections.abc import Mapping

from ....values.json_values import as_mapping, as_objects, text
from ...declaration.wire import Json

_STEP = re.compile(r"""\.([^.\[\]]+)|\[(\d{1,4})\]|\[(?:'([^']*)'|"([^"]*)")\]""")
# A path may come from anybody: it must not make a value that fills the memory.
_MOST_ITEMS, _MOST_STEPS = 1000, 50
_VALUES = ("stringValue", "numberValue", "boolValue")


class CallFragments:
    """One call that is still being written."""

    def __init__(self, part: Mapping[str, object]) -> None:
        """Begin with the part that names the function."""
        self._part = dict(part)
        self._call = dict(as_mapping(part.get("functionCall")))
        self._args: Json = dict(as_mapping(self._call.get("args")))
        self._growing: set[str] = set()
        self.add(part)

    def add(self, part: Mapping[str, object]) -> bool:
        """Take what the next part adds; tell whether the call goes on after it."""
        call = as_mapping(part.get("functionCall"))
        for piece in as_objects(call.get("partialArgs")):
            self._put(piece)
        self._part |= {name: part[name] for name in part if name != "functionCall"}
        return call.get("willContinue") is True

    def whole(self) -> Json:
        """Return the part as it would have come in one piece."""
        named = {name: self._call[name] for name in ("id", "name") if self._call.get(name)}
        return {**self._part, "functionCall": {**named, "args": self._args}}

    def _put(self, piece: Mapping[str, object]) -> None:
        path = text(piece.get("jsonPath"))
        matches = _STEP.findall(path)
        steps = [name or one or two or int(place or 0) for name, place, one, two in matches]
        value = next((piece[name] for name in _VALUES if name in piece), None)
        far = any(isinstance(step, int) and step >= _MOST_ITEMS for step in steps)
        if far or not 0 < len(steps) <= _MOST_STEPS:
            return
        before = _at(self._args, steps) if path in self._growing else None
        if isinstance(before, str) and isinstance(value, str):
            value = before + value
        self._args = dict(as_mapping(_with(self._args, steps, value)))
        self._growing.add(path)


def _at(value: object, steps: list[str | int]) -> object:
    for step in steps:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = as_mapping(value).get(step)
    return value


def _with(held: object, steps: list[str | int], value: object) -> object:
    """Return ``held`` with a value at a place, which is made where there is none."""
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, str):
        known = as_mapping(held)
        return {**known, step: _with(known.get(step), rest, value)}
    items = list(held) if isinstance(held, list) else []
    items += [None] * (step + 1 - len(items))
    items[step] = _with(items[step], rest, value)
    return items
