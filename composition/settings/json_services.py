"""The JSON services that the settings describe, in the block ``json``."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.json_service.block import read_json_search
from ...adapters.json_service.encoding import json_search_service
from ...adapters.json_service.readers import FieldProblem
from ...adapters.service.declaration import Service
from ...ports.errors import InvalidSetting
from .entries import Entries, Entry, KeyPath, setting_path_text
from .schema import Settings

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


class CustomService(msgspec.Struct, frozen=True, kw_only=True):
    """A service of the user's own, and how many seconds it is given; None means: as usual."""

    service: Service
    timeout: float | None = None


def custom_services(
    settings: Settings, names: Collection[str] = ()
) -> Result[dict[str, CustomService], InvalidSetting]:
    """Return the services in ``json``, by name, or the field that is wrong.

    ``taken`` are names that cannot be used, because they are somebody else's.
    """
    service: dict[str, CustomService] = {}
    for name in settings.entries.names(("json",)):
        service_result = _custom_service(settings.entries, name, names)
        if isinstance(service_result, Failure):
            return service_result
        service[name] = service_result.unwrap()
    return Success(service)


def _custom_service(
    entries: Entries, name: str, names: Collection[str]
) -> Result[CustomService, InvalidSetting]:
    if _NAME.fullmatch(name) is None:
        reason = "must be a name in small letters, digits, - and _"
        return Failure(_placed(entries, name, FieldProblem(reason=reason)))
    if name in names:
        reason = "is the name of another service; choose one of its own"
        return Failure(_placed(entries, name, FieldProblem(reason=reason)))
    described = read_json_search(_nested(entries.below(("json", name))))
    return described.alt(lambda problem: _placed(entries, name, problem)).map(
        lambda search: CustomService(
            service=json_search_service(name, search), timeout=search.timeout
        )
    )


def _nested(entries: Mapping[KeyPath, Entry]) -> dict[str, object]:
    """Return values by path as blocks in blocks again."""
    whole: dict[str, Any] = {}
    for (*above, last), entry in entries.items():
        block = whole
        for name in above:
            block = block.setdefault(name, {})
        block[last] = entry.value
    return whole


def _placed(entries: Entries, name: str, problem: FieldProblem) -> InvalidSetting:
    """Name the line of the field, else of whatever stands nearest above it."""
    path: KeyPath = ("json", name, *problem.field)
    near = (
        entry
        for depth in range(len(path), 1, -1)
        for entry in (entries.get(path[:depth]), *entries.below(path[:depth]).values())
        if entry is not None
    )
    place = str(next(near).origin)
    return InvalidSetting(setting=setting_path_text(path), place=place, reason=problem.reason)
