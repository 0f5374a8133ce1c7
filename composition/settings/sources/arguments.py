"""Settings that a program gives: by their names, or in blocks as the file has them."""

import re
from collections.abc import Iterator, Mapping
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.text.display import quote_value
from ....kernel.trust import Origin
from ....ports.errors import InvalidSetting
from ..entries import Entry, KeyPath, setting_path_text
from ..setting_keys import OPEN_BLOCKS, block_paths, canonical_path, known_keys, nearest_setting
from ..vendors import VENDORS

# services.<name>.<option>: what is open begins below the name.
_OPEN_DEPTH = 3


def take_arguments(arguments: Mapping[str, object]) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return what a program gives, by path, or what of it is no setting; None is not there."""
    entries: dict[KeyPath, Entry] = {}
    for path, value in _flat((), arguments):
        whole = canonical_path(path)
        if whole not in known_keys() and not _is_open(whole):
            return Failure(_unknown(path))
        if value is not None:
            entries[whole] = _entry(path, value)
    return Success(entries)


def as_variables(entries: Mapping[KeyPath, Entry]) -> dict[str, Entry]:
    """Return what arguments say of services and keys under the names that variables have.

    There the environment says it for others, and an argument wins over the environment.
    """
    return {
        name: msgspec.structs.replace(entry, value=",".join(entry.texts))
        for path, entry in entries.items()
        if len(path) == _OPEN_DEPTH
        for name in _names(path)
    }


def _names(path: KeyPath) -> tuple[str, ...]:
    block, name, option = path
    if block == "providers":
        return VENDORS.provider_keys.get(name, ())[:1] if option == "api_key" else ()
    return (re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{name}_{option}".upper()),)


def _flat(above: KeyPath, block: Mapping[str, object]) -> Iterator[tuple[KeyPath, object]]:
    for name, value in block.items():
        path = (*above, *str(name).split("."))
        if isinstance(value, Mapping) and (path[0] in OPEN_BLOCKS or path in block_paths()):
            yield from _flat(path, value)
        else:
            yield path, value


def _is_open(path: KeyPath) -> bool:
    return path[0] in OPEN_BLOCKS and len(path) >= _OPEN_DEPTH


def _entry(path: KeyPath, value: object) -> Entry:
    origin = Origin(layer="argument", name=f"argument {_safe(path)}")
    listed = isinstance(value, list | tuple)
    items = cast("list[object]", list(value)) if listed else [value]  # type: ignore[call-overload]
    return Entry(
        value=items if listed else value, texts=tuple(map(_spelling, items)), origin=origin
    )


def _spelling(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown(path: KeyPath) -> InvalidSetting:
    hint = nearest_setting(path)
    if path in block_paths() or path[0] in OPEN_BLOCKS:
        reason = "must be a block of settings"
    else:
        reason = "is not a setting" + (f"; {hint} is" if hint else "")
    return InvalidSetting(setting=_safe(path), place="argument", reason=reason)


def _safe(path: KeyPath) -> str:
    name = setting_path_text(path)[:200]
    return name if name.isascii() and name.isprintable() else quote_value(name)
