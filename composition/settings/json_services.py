"""The JSON services that the settings describe, in the block ``json``."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.json_service import FieldProblem, json_search_service, read_json_search
from ...adapters.service.declaration import Service
from ...ports.errors import InvalidSetting
from .entries import Entries, Entry, KeyPath, spelled
from .schema import Settings

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


class CustomService(msgspec.Struct, frozen=True, kw_only=True):
    """A service of the user's own, and how many seconds it is given; None means: as usual."""

    service: Service
    timeout: float | None = None


def custom_services(
    settings: Settings, taken: Collection[str] = ()
) -> Result[dict[str, CustomService], InvalidSetting]:
    """Return the services in ``json``, by name, or the field that is wrong.

    ``taken`` are names that cannot be used, because they are somebody else's.
    """
    found: dict[str, CustomService] = {}
    for name in settings.entries.names(("json",)):
        made = _custom_service(settings.entries, name, taken)
        if isinstance(made, Failure):
            return made
        found[name] = made.unwrap()
    return Success(found)


def _custom_service(
    entries: Entries, name: str, taken: Collection[str]
) -> Result[CustomService, InvalidSetting]:
    if _NAME.fullmatch(name) is None:
        reason = "must be a name in small letters, digits, - and _"
        return Failure(_placed(entries, name, FieldProblem(reason=reason)))
    if name in taken:
        reason = "is the name of another service; choose one of its own"
        return Failure(_placed(entries, name, FieldProblem(reason=reason)))
    read = read_json_search(_nested(entries.below(("json", name))))
    return read.alt(lambda problem: _placed(entries, name, problem)).map(
        lambda search: CustomService(
            service=json_search_service(name, search), timeout=search.timeout
        )
    )


def _nested(found: Mapping[KeyPath, Entry]) -> dict[str, object]:
    """Return values by path as blocks in blocks again."""
    whole: dict[str, Any] = {}
    for (*above, last), entry in found.items():
        block = whole
        for name in above:
            block = block.setdefault(name, {})
        block[last] = entry.value
    return whole


def _placed(entries: Entries, name: str, problem: FieldProblem) -> InvalidSetting:
    """Name the line of the field, else of whatever stands nearest above it."""
    path: KeyPath = ("json", name, *problem.field)
    found = (
        entry
        for depth in range(len(path), 1, -1)
        for entry in (entries.get(path[:depth]), *entries.below(path[:depth]).values())
        if entry is not None
    )
    place = str(next(found).origin)
    return InvalidSetting(setting=spelled(path), place=place, reason=problem.reason)
