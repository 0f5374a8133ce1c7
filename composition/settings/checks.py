"""Convert raw entries to typed settings, or name the origin of a wrong value."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.policy.policy_rules import Policy, make_policy
from webseam.kernel.urls.service_endpoints import check_endpoint_url
from webseam.ports.errors import InvalidSetting, NotConfigured
from webseam.ports.secrets import Secret
from webseam.ports.text import lazy_pattern, nearest_name

from ..feature_table import SettingsBlock, iterate_features, load_settings_block
from .entries import Entry, KeyPath, setting_path_text
from .schema import Block, Settings

# Blocks that services, providers and sites check themselves.
OPEN_BLOCKS = ("services", "providers", "json", "sites")
# Blocks with a short form, and the setting that it sets.
SHORT_FORMS = {"cache": "enabled", "compressor": "kind", "plugins": "enabled", "render": "mode"}
# services.<name>.<option>: option names are free below this depth.
OPEN_DEPTH = 3
_INTERNAL_PATHS = {
    (name,) for name in ("feature_blocks", "entries", "variables", "file", "warnings", "folder")
}
_EXTRA_VARIABLES = {
    ("compressor", "kind"): ("WEBSEAM_COMPRESSOR",),
    ("custom_base_url",): ("CUSTOM_SEARCH_BASE_URL",),
    ("custom_model",): ("CUSTOM_SEARCH_MODEL",),
    ("custom_api_key",): ("CUSTOM_SEARCH_API_KEY",),
    ("custom_allow_plain_http",): ("CUSTOM_SEARCH_ALLOW_PLAIN_HTTP",),
}
_BACKEND_PATHS = {("backend",), ("search_backend",), ("extract_backend",)}
_ADDRESS_PATHS = {("custom_base_url",)}
# The URL schemes of shared stores.
_STORE_SCHEMES: dict[KeyPath, tuple[str, ...]] = {
    ("stores", "postgres"): ("postgresql://", "postgres://"),
    ("stores", "valkey"): ("valkey://", "valkeys://", "redis://", "rediss://"),
}
_BROWSER_PATH = ("render", "browser")
_FILE_PATHS = {
    ("plugins", "folder"), ("plugins", "recorder", "file"), ("pages", "signing", "key_file"),
    _BROWSER_PATH,
}  # fmt: skip
# The setting whose several keys take turns.
_MULTI_KEY_PATH = ("custom_api_key",)
_TYPE_PATTERN = lazy_pattern(r"`([a-z]+(?: \| object)?)(?: \| null)?`")
# The position in a list; msgspec counts from 0.
_LIST_INDEX_PATTERN = lazy_pattern(r" - at `\$\[(\d+)\][^`]*`")
_TYPE_TEXTS = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "a whole number",
    "object": "a block", "str": "a text", "str | object": "a text or a block",
}  # fmt: skip
_BOOLEAN_TEXTS = {"yes": True, "on": True, "no": False, "off": False}


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """One setting: its type, its variables and its default."""

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


# A start reads the settings of the core, and asks no feature for its own: their modules would cost
# more than reading the file. So what a start calls (``find_setting``, ``keys_of``,
# ``keys_of_variables``) loads the block of a feature only if a source names it, and
# ``known_setting_keys`` loads them all, for messages, lists and docs.


@cache
def _feature_blocks() -> dict[str, SettingsBlock]:
    return {block.name: block for feature in iterate_features() for block in feature.settings}


@cache
def _core_keys() -> dict[str, dict[KeyPath, Key]]:
    """Return the core's settings by the first name of their path."""
    keys: dict[str, dict[KeyPath, Key]] = {}
    for path, key in _struct_keys((), Settings()):
        keys.setdefault(path[0], {})[path] = key
    return keys


@cache
def _block_keys(name: str) -> dict[KeyPath, Key]:
    defaults = load_settings_block(_feature_blocks()[name])()
    return dict(_struct_keys((name,), defaults))


def _keys_below(name: str) -> Mapping[KeyPath, Key]:
    """Return the settings whose path begins with ``name``; nothing for an unknown one."""
    core = _core_keys()
    if name in core:
        return core[name]
    if name in OPEN_BLOCKS or name not in _feature_blocks():
        return {}
    return _block_keys(name)


@cache
def setting_names() -> tuple[str, ...]:
    """Return the first names of all paths, in display order, without loading a block."""

    def names_from(name: str) -> Iterator[str]:
        yield name
        for block in _feature_blocks().values():
            if block.after == name:
                yield from names_from(block.name)

    return tuple(name for first in _core_keys() for name in names_from(first))


def keys_of(names: Collection[str]) -> dict[KeyPath, Key]:
    """Return the settings whose path begins with one of ``names``, in display order."""
    core = _core_keys()
    is_core = all(name in core or name in OPEN_BLOCKS for name in names)
    ordered = core if is_core else setting_names()
    return {
        path: key for name in ordered if name in names for path, key in _keys_below(name).items()
    }


@cache
def _core_variables() -> frozenset[str]:
    return frozenset(name for key in keys_of(_core_keys()).values() for name in key.variables)


def keys_of_variables(variables: Collection[str]) -> dict[KeyPath, Key]:
    """Return the core's settings, and those of the blocks that ``variables`` may name."""
    others = [
        name for name in variables if name.startswith("WEBSEAM_") and name not in _core_variables()
    ]
    if not others:
        return keys_of(_core_keys())
    prefixes = {name: f"{_setting_variable((name,))}_" for name in _feature_blocks()}
    named = [
        name
        for name, prefix in prefixes.items()
        if any(other.startswith(prefix) for other in others)
    ]
    return keys_of({*_core_keys(), *named})


@cache
def known_setting_keys() -> dict[KeyPath, Key]:
    """Return every setting with a fixed path, in display order."""
    return keys_of(setting_names())


def find_setting(path: KeyPath) -> Key | None:
    """Return the setting at ``path``; None if there is none."""
    return _keys_below(path[0]).get(path)


def is_settings_block(path: KeyPath) -> bool:
    """Tell whether settings lie below ``path``."""
    if len(path) == 1 and path[0] in OPEN_BLOCKS:
        return True
    depth = len(path)
    return any(len(key) > depth and key[:depth] == path for key in _keys_below(path[0]))


def setting_value(settings: Settings, path: KeyPath) -> object:
    """Return the value of the setting at ``path``."""
    value: object = settings
    if path[0] in _feature_blocks():
        value, path = settings.of(load_settings_block(_feature_blocks()[path[0]])), path[1:]
    for name in path:
        value = getattr(value, name)
    return value


def canonical_setting_path(path: KeyPath) -> KeyPath:
    """Return a path with its short form expanded.

    >>> canonical_setting_path(("compressor",)), canonical_setting_path(("backend",))
    (('compressor', 'kind'), ('backend',))
    """
    return (*path, SHORT_FORMS[path[0]]) if len(path) == 1 and path[0] in SHORT_FORMS else path


@cache
def _block_paths() -> frozenset[KeyPath]:
    return frozenset(
        {path[:depth] for path in known_setting_keys() for depth in range(1, len(path))}
        | {(name,) for name in OPEN_BLOCKS}
    )


def nearest_setting(path: KeyPath) -> str:
    """Return the setting or block that was probably meant; empty when none is close.

    >>> (nearest_setting(("policy", "port")), nearest_setting(("deny_domains",)),
    ...  nearest_setting(("xyz",)))
    ('policy.ports', 'policy.deny_domains', '')
    """
    paths = (*known_setting_keys(), *_block_paths())
    siblings = [key_path[-1] for key_path in paths if key_path[:-1] == path[:-1]]
    if near := nearest_name(path[-1], siblings, 0.7):
        return setting_path_text((*path[:-1], near))
    elsewhere = [key_path for key_path in known_setting_keys() if key_path[-1] == path[-1]]
    return setting_path_text(elsewhere[0]) if elsewhere else ""


def unknown_setting_reason(path: KeyPath) -> str:
    """Return the reason that refuses an unknown setting, with the nearest one."""
    hint = nearest_setting(path)
    return "is not a setting" + (f"; {hint} is" if hint else "")


def _struct_keys(above: KeyPath, defaults: msgspec.Struct) -> list[tuple[KeyPath, Key]]:
    keys: list[tuple[KeyPath, Key]] = []
    for field in msgspec.structs.fields(type(defaults)):
        path, value = (*above, field.name), getattr(defaults, field.name)
        if path in _INTERNAL_PATHS:
            continue
        if isinstance(value, msgspec.Struct):
            keys += _struct_keys(path, value)
        else:
            variables = (_setting_variable(path), *_EXTRA_VARIABLES.get(path, ()))
            keys.append((path, Key(type=field.type, variables=variables, default=value)))
    return keys


def _setting_variable(path: KeyPath) -> str:
    return "_".join(("WEBSEAM", *path)).upper()


def check_setting_entries(entries: Mapping[KeyPath, Entry]) -> Result[Settings, InvalidSetting]:
    """Return the settings of the entries; absent ones keep their defaults."""
    settings = Settings()
    blocks: dict[str, msgspec.Struct] = {}
    for path, key in keys_of({path[0] for path in entries}).items():
        if path not in entries:
            continue
        if isinstance(value := _convert_setting(path, key, entries[path]), Failure):
            return value
        if path[0] in _core_keys():
            settings = _replace_setting(settings, path, value.unwrap())
        else:
            name, *rest = path
            block = blocks.get(name) or load_settings_block(_feature_blocks()[name])()
            blocks[name] = _replace_setting(block, tuple(rest), value.unwrap())
    return Success(msgspec.structs.replace(settings, feature_blocks=tuple(blocks.values())))


def _replace_setting(block: Block, path: KeyPath, value: object) -> Block:
    inner = value if len(path) == 1 else _replace_setting(getattr(block, path[0]), path[1:], value)
    return msgspec.structs.replace(block, **{path[0]: inner})


def policy_of(settings: Settings) -> Result[Policy, InvalidSetting]:
    """Return the policy of the settings, or an error for an unreadable entry."""

    def locate_error(error: NotConfigured) -> InvalidSetting:
        setting = error.settings[0]
        path = ("policy", setting.rpartition(".")[2])
        origin = str(settings.entries.origin(path))
        reason = error.reason.replace(f" in {setting}", "", 1)
        return InvalidSetting(setting=setting_path_text(path), place=origin, reason=reason)

    return make_policy(settings.policy).alt(locate_error)


def _convert_setting(path: KeyPath, key: Key, entry: Entry) -> Result[object, InvalidSetting]:
    value = _prepare_setting(path, key, entry)
    if key.secret:
        schemes = _STORE_SCHEMES.get(path, ("",))
        if not isinstance(value, str):
            return _invalid_setting(path, entry, "must be one text")
        if value and not value.startswith(schemes):
            return _invalid_setting(path, entry, f"must begin with {' or '.join(schemes)}")
        return Success(Secret(value))
    try:
        converted = msgspec.convert(value, key.type, strict=False)
    except msgspec.ValidationError as error:
        return _invalid_setting(path, entry, _error_text(error, key))
    if path in _ADDRESS_PATHS and isinstance(
        address := check_endpoint_url(converted, with_key=False), Failure
    ):
        return _invalid_setting(path, entry, address.failure().reason)
    return _resolve_setting(path, entry, converted) if path in _FILE_PATHS else Success(converted)


def _resolve_setting(path: KeyPath, entry: Entry, text: str) -> Result[object, InvalidSetting]:
    """Return a path that means the same in every working folder.

    A path in a file is relative to that file; a path in an argument to the caller.
    """
    location = Path(text)
    is_program = path == _BROWSER_PATH and location.name == text
    is_typed = entry.origin.layer == "argument"
    if is_program or is_typed or location.is_absolute() or text.startswith("~"):
        return Success(text)
    if entry.origin.layer == "environment":
        reason = "must be a full path: a relative one means another file in every folder"
        return _invalid_setting(path, entry, reason)
    return Success(str(Path(entry.origin.name).absolute().parent / location))


def split_list_text(text: str) -> list[str]:
    """Split a list on one line: with commas, or as a settings file and a refusal write it.

    >>> split_list_text("a.example, b.example"), split_list_text('["[::1/128]:80"]')
    (['a.example', 'b.example'], ['[::1/128]:80'])
    """
    listed = text.strip()
    if listed.startswith("[") and listed.endswith("]"):
        listed = listed[1:-1]
    parts = [part.strip() for part in listed.split(",")]
    return [part.strip('"') for part in parts if part]


def _prepare_setting(path: KeyPath, key: Key, entry: Entry) -> object:
    """Return a value in the form that its type expects: lists split, texts stripped."""
    if key.listed:
        if isinstance(value := entry.value, str) and entry.origin.layer != "file":
            return split_list_text(value)
        return value if isinstance(value, list | tuple) else [value]
    if path == _MULTI_KEY_PATH and isinstance(entry.value, list):
        return ",".join(text.strip() for text in entry.texts)
    if key.secret and not isinstance(entry.value, list):
        return "".join(entry.texts).strip()
    text = entry.value
    return _normalise_text(path, key, text.strip()) if isinstance(text, str) else text


def _normalise_text(path: KeyPath, key: Key, text: str) -> object:
    if path in _BACKEND_PATHS:
        return text.lower()
    if path in _ADDRESS_PATHS:
        return text.rstrip("/")
    return _BOOLEAN_TEXTS.get(text.lower(), text) if key.type is bool else text


def _error_text(error: msgspec.ValidationError, key: Key) -> str:
    parts = (key.type, *get_args(key.type))
    if choices := next((get_args(part) for part in parts if get_origin(part) is Literal), ()):
        return f"must be one of {', '.join(choices)}"
    # The message holds only the type of the value, never the value.
    text = _LIST_INDEX_PATTERN.sub(lambda match: f", in entry {int(match[1]) + 1}", str(error))
    message = _TYPE_PATTERN.sub(lambda match: _TYPE_TEXTS.get(match[1], match[1]), text)
    message = message.replace("Object contains unknown field", "has no field")
    return message.replace("Expected", "must be", 1).replace(", got ", ", not ", 1)


def _invalid_setting(path: KeyPath, entry: Entry, reason: str) -> Failure[InvalidSetting]:
    origin = str(entry.origin)
    return Failure(InvalidSetting(setting=setting_path_text(path), place=origin, reason=reason))
