"""The JSON services described in the block ``json`` of the settings."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.services.declaration import Service
from webseam.adapters.services.json_api.block import read_json_search
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.json_api.readers import FieldProblem, JsonSearch
from webseam.ports.errors import InvalidSetting

from .entries import Entries, Entry, KeyPath, setting_path_text
from .schema import Settings

_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,63}")


class CustomService(msgspec.Struct, frozen=True, kw_only=True):
    """A service that the user described, and its time limit; None means the default.

    ``description`` is what the service was made from: its request and the paths of its rows.
    """

    service: Service
    description: JsonSearch
    timeout: float | None = None


def custom_json_services(
    settings: Settings, names: Collection[str] = ()
) -> Result[dict[str, CustomService], InvalidSetting]:
    """Return the services in ``json`` by name, or an error; ``names`` are taken."""
    services: dict[str, CustomService] = {}
    for name in settings.entries.names_below(("json",)):
        if isinstance(outcome := _custom_service(settings.entries, name, names), Failure):
            return outcome
        services[name] = outcome.unwrap()
    return Success(services)


def _custom_service(
    entries: Entries, name: str, names: Collection[str]
) -> Result[CustomService, InvalidSetting]:
    reason = "is the name of another service; choose another name" if name in names else ""
    if _NAME_PATTERN.fullmatch(name) is None:
        reason = "must be a name in small letters, digits, - and _"
    if reason:
        return Failure(_locate_error(entries, name, FieldProblem(reason=reason)))
    described = read_json_search(_nest_settings(entries.entries_below(("json", name))))
    return described.alt(lambda problem: _locate_error(entries, name, problem)).map(
        lambda search: CustomService(
            service=json_search_service(name, search),
            description=msgspec.structs.replace(search, title="", timeout=None),
            timeout=search.timeout,
        )
    )


def _nest_settings(entries: Mapping[KeyPath, Entry]) -> dict[str, object]:
    root: dict[str, Any] = {}
    for (*above, last), entry in entries.items():
        block = root
        for name in above:
            block = block.setdefault(name, {})
        block[last] = entry.value
    return root


def _locate_error(entries: Entries, name: str, problem: FieldProblem) -> InvalidSetting:
    """Return the error with the origin of the field, or of the nearest entry above it."""
    path: KeyPath = ("json", name, *problem.field)
    nearest = (
        entry
        for depth in range(len(path), 1, -1)
        for entry in (entries.get(path[:depth]), *entries.entries_below(path[:depth]).values())
        if entry is not None
    )
    origin = str(next(nearest).origin)
    return InvalidSetting(setting=setting_path_text(path), place=origin, reason=problem.reason)
