"""The names of settings: which paths there are, their variables, and other spellings of them."""

from difflib import get_close_matches
from functools import cache
from typing import Any, get_origin

import msgspec

from ...ports.secrets import Secret
from .entries import KeyPath, setting_path_text
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
