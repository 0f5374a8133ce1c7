"""From what was written to settings: each value has its type, or the place that is wrong."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.policy.policy_rules import Policy, make_policy
from ...kernel.urls.service_endpoints import check_endpoint
from ...ports.errors import InvalidSetting, NotConfigured
from ...ports.secrets import Secret
from .entries import Entry, KeyPath, setting_path_text
from .schema import Settings

# Blocks whose insides are checked by those who declare them.
OPEN_BLOCKS = ("services", "providers", "json")
# A block that may be written as one value.
SHORT_FORMS = {"cache": "enabled", "compressor": "kind", "plugins": "enabled", "render": "mode"}
BLOCKS = OPEN_BLOCKS
_NOT_WRITTEN = {(name,) for name in ("entries", "variables", "file", "warnings", "folder")}
_MORE_VARIABLES = {
    ("compressor", "kind"): ("WEBSEAM_COMPRESSOR",),
    ("custom_base_url",): ("CUSTOM_SEARCH_BASE_URL",),
    ("custom_model",): ("CUSTOM_SEARCH_MODEL",),
    ("custom_api_key",): ("CUSTOM_SEARCH_API_KEY",),
    ("custom_allow_plain_http",): ("CUSTOM_SEARCH_ALLOW_PLAIN_HTTP",),
}


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: the type of its value, and the variables that give it."""

    type: Any
    variables: tuple[str, ...]
    default: Any

    @property
    def secret(self) -> bool:
        """Whether its value must never be shown."""
        return self.type is Secret

    @property
    def listed(self) -> bool:
        """Whether it holds several values."""
        return get_origin(self.type) is tuple


@cache
def known_keys() -> dict[KeyPath, Key]:
    """Return every setting with a fixed path, in the order in which they are shown."""
    return dict(_keys((), Settings()))


def canonical_path(path: KeyPath) -> KeyPath:
    """Return a path in its one spelling.

    >>> canonical_path(("compressor",)), canonical_path(("backend",))
    (('compressor', 'kind'), ('backend',))
    """
    return (*path, SHORT_FORMS[path[0]]) if len(path) == 1 and path[0] in SHORT_FORMS else path


@cache
def block_paths() -> frozenset[KeyPath]:
    """Return the paths that hold settings and are none themselves."""
    return frozenset(
        {path[:1] for path in known_keys() if len(path) > 1} | {(name,) for name in BLOCKS}
    )


def nearest_setting(path: KeyPath) -> str:
    """Return the setting or block that was probably meant; empty when none is near.

    >>> (nearest_setting(("policy", "port")), nearest_setting(("deny_domains",)),
    ...  nearest_setting(("xyz",)))
    ('policy.ports', 'policy.deny_domains', '')
    """
    every = (*known_keys(), *block_paths())
    beside = [each[-1] for each in every if each[:-1] == path[:-1]]
    close = get_close_matches(path[-1], beside, 1, 0.7)
    if close:
        return setting_path_text((*path[:-1], close[0]))
    elsewhere = [each for each in known_keys() if each[-1] == path[-1]]
    return setting_path_text(elsewhere[0]) if elsewhere else ""


def _keys(above: KeyPath, usual: msgspec.Struct) -> list[tuple[KeyPath, Key]]:
    keys: list[tuple[KeyPath, Key]] = []
    for field in msgspec.structs.fields(type(usual)):
        path, value = (*above, field.name), getattr(usual, field.name)
        if path in _NOT_WRITTEN:
            continue
        if isinstance(value, msgspec.Struct):
            keys += _keys(path, value)
        else:
            variables = (_variable(path), *_MORE_VARIABLES.get(path, ()))
            keys.append((path, Key(type=field.type, variables=variables, default=value)))
    return keys


def _variable(path: KeyPath) -> str:
    """Return the name of a setting's variable.

    >>> _variable(("cache", "minutes"))
    'WEBSEAM_CACHE_MINUTES'
    """
    return "_".join(("WEBSEAM", *path)).upper()


# From what was written to settings: each value has its type, or the place that is wrong.

_BACKENDS = {("backend",), ("search_backend",), ("extract_backend",)}
_ADDRESSES = {("custom_base_url",)}
# How the address of a shared store begins.
_STORES: dict[KeyPath, tuple[str, ...]] = {
    ("stores", "postgres"): ("postgresql://", "postgres://"),
    ("stores", "valkey"): ("valkey://", "valkeys://", "redis://", "rediss://"),
}
_BROWSER = ("render", "browser")
_PLACES = {("plugins", "folder"), _BROWSER}
# Several keys take turns.
_KEYS = ("custom_api_key",)
_TYPE = re.compile(r"`([a-z]+(?: \| object)?)(?: \| null)?`")
# Where in a list: msgspec counts from 0.
_ENTRY = re.compile(r" - at `\$\[(\d+)\][^`]*`")
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "a block",
    "str": "a text",
    "str | object": "a text or a block",
}
_UNKNOWN = "Object contains unknown field"
_TRUTHS = {"yes": True, "on": True, "no": False, "off": False}


def check_entries(entries: Mapping[KeyPath, Entry]) -> Result[Settings, InvalidSetting]:
    """Return the settings that the entries give; what is not given is the default."""
    values: dict[KeyPath, object] = {}
    for path, key in known_keys().items():
        if path not in entries:
            continue
        value = _convert(path, key, entries[path])
        if isinstance(value, Failure):
            return value
        values[path] = value.unwrap()
    return Success(_put_together(values))


def policy_of(settings: Settings) -> Result[Policy, InvalidSetting]:
    """Return the policy that the settings describe, or the entry that cannot be read."""

    def placed(error: NotConfigured) -> InvalidSetting:
        setting = error.settings[0]
        path = ("policy", setting.rpartition(".")[2])
        place = str(settings.entries.origin(path))
        reason = error.reason.replace(f" in {setting}", "", 1)
        return InvalidSetting(setting=setting_path_text(path), place=place, reason=reason)

    return make_policy(settings.policy).alt(placed)


def _convert(path: KeyPath, key: Key, entry: Entry) -> Result[object, InvalidSetting]:
    value = _prepared(path, key, entry)
    if key.secret:
        return _secret(path, entry, value)
    try:
        converted = msgspec.convert(value, key.type, strict=False)
    except msgspec.ValidationError as error:
        return _wrong(path, entry, _in_words(error, key))
    if path in _ADDRESSES:
        address = check_endpoint(converted, with_key=False)
        if isinstance(address, Failure):
            return _wrong(path, entry, address.failure().reason)
    return _settled(path, entry, converted) if path in _PLACES else Success(converted)


def _secret(path: KeyPath, entry: Entry, value: object) -> Result[object, InvalidSetting]:
    starts = _STORES.get(path, ("",))
    if not isinstance(value, str):
        return _wrong(path, entry, "must be one text")
    if value and not value.startswith(starts):
        return _wrong(path, entry, f"must begin with {' or '.join(starts)}")
    return Success(Secret(value))


def _settled(path: KeyPath, entry: Entry, text: str) -> Result[object, InvalidSetting]:
    """Return a place as one that is the same in every folder that one may stand in.

    What a file names is beside that file; what is typed for one call is where that call is made.
    """
    place = Path(text)
    is_program = path == _BROWSER and place.name == text
    typed = entry.origin.layer == "argument"
    if is_program or typed or place.is_absolute() or text.startswith("~"):
        return Success(text)
    if entry.origin.layer == "environment":
        return _wrong(path, entry, "must be a full path: a relative one is another in every folder")
    return Success(str(Path(entry.origin.name).absolute().parent / place))


def _prepared(path: KeyPath, key: Key, entry: Entry) -> object:
    """Return a value as its type expects it: lists split, blanks around a text gone."""
    if key.listed:
        return _list(entry)
    if path == _KEYS and isinstance(entry.value, list):
        return ",".join(text.strip() for text in entry.texts)
    if key.secret and not isinstance(entry.value, list):
        return "".join(entry.texts).strip()
    text = entry.value
    return _tidied(path, key, text.strip()) if isinstance(text, str) else text


def _tidied(path: KeyPath, key: Key, text: str) -> object:
    if path in _BACKENDS:
        return text.lower()
    if path in _ADDRESSES:
        return text.rstrip("/")
    return _TRUTHS.get(text.lower(), text) if key.type is bool else text


def _list(entry: Entry) -> object:
    """Return the values of a list; outside of a file, commas part them."""
    value = entry.value
    if isinstance(value, str) and entry.origin.layer != "file":
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list | tuple) else [value]


def _put_together(values: Mapping[KeyPath, object]) -> Settings:
    settings = Settings()
    for path, value in values.items():
        if len(path) == 1:
            settings = msgspec.structs.replace(settings, **{path[0]: value})
        else:
            block = msgspec.structs.replace(getattr(settings, path[0]), **{path[1]: value})
            settings = msgspec.structs.replace(settings, **{path[0]: block})
    return settings


def _in_words(error: msgspec.ValidationError, key: Key) -> str:
    choices = _choices(key.type)
    if choices:
        return f"must be one of {', '.join(choices)}"
    # What was written is not in the message, only its type.
    placed = _ENTRY.sub(lambda match: f", in entry {int(match[1]) + 1}", str(error))
    words = _TYPE.sub(lambda match: _WORDS.get(match[1], match[1]), placed)
    return (
        words.replace("Expected", "must be", 1)
        .replace(_UNKNOWN, "has no field")
        .replace(", got ", ", not ", 1)
    )


def _choices(kind: Any) -> tuple[str, ...]:  # noqa: ANN401  a type is any type
    parts = (kind, *get_args(kind))
    return next((get_args(part) for part in parts if get_origin(part) is Literal), ())


def _wrong(path: KeyPath, entry: Entry, reason: str) -> Failure[InvalidSetting]:
    place = str(entry.origin)
    return Failure(InvalidSetting(setting=setting_path_text(path), place=place, reason=reason))
