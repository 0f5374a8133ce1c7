"""Raw settings by path and by variable, each with its origin; no repr shows a value."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from webseam.kernel.policy.trust import Origin, least_trusted_origin
from webseam.kernel.text.redaction import MASK, redact
from webseam.ports.text import lazy_pattern

KeyPath: TypeAlias = tuple[str, ...]
DEFAULT_ORIGIN = Origin(layer="default")
_REFERENCE_PATTERN = lazy_pattern(r"\$\{([^{}]++)\}")
# Names that mark a value as a secret; declarations and the shape of a value also count.
_SECRET_NAME_PATTERN = lazy_pattern(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|keys?|tokens?|secrets?|pass(?:word|wd|phrase)?|authorization|"
    r"cookie|credentials?|bearer)$"
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One value as written: a text, a number, a boolean or a list; never a block.

    ``texts`` are the spellings of the value or of each list item, so a key made of digits keeps its
    spelling. Its repr hides the value, which may be a key.
    """

    value: object
    origin: Origin
    texts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Entry({str(self.origin)!r})"


def setting_path_text(path: KeyPath) -> str:
    """Return a path in dotted form.

    >>> setting_path_text(("cache", "minutes"))
    'cache.minutes'
    """
    return ".".join(path)


def option_variable(owner: str, option: str) -> str:
    """Return the variable of an option of a service or provider.

    >>> option_variable("ai-gateway", "api_key")
    'WEBSEAM_AI_GATEWAY_API_KEY'
    """
    return re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{owner}_{option}".upper())


class Entries:
    """All settings of all layers, by path."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[KeyPath, Entry] | None = None) -> None:
        self._entries = dict(entries or {})

    def get(self, path: KeyPath) -> Entry | None:
        """Return the entry at ``path``, or None."""
        return self._entries.get(path)

    def origin(self, path: KeyPath) -> Origin:
        """Return the origin of the value at ``path``."""
        entry = self._entries.get(path)
        return DEFAULT_ORIGIN if entry is None else entry.origin

    def entries_below(self, path: KeyPath) -> dict[KeyPath, Entry]:
        """Return the entries below ``path``, by the rest of their path."""
        depth = len(path)
        return {
            full_path[depth:]: entry
            for full_path, entry in self._entries.items()
            if len(full_path) > depth and full_path[:depth] == path
        }

    def names_below(self, path: KeyPath) -> tuple[str, ...]:
        """Return the names right below ``path``, in order."""
        return tuple(dict.fromkeys(rest[0] for rest in self.entries_below(path)))

    def __iter__(self) -> Iterator[tuple[KeyPath, Entry]]:
        return iter(self._entries.items())

    def __repr__(self) -> str:
        return f"Entries({len(self._entries)})"


class Variables:
    """Variables by name, in layers: the process environment, then each ``.env``."""

    __slots__ = ("_layers",)

    def __init__(self, *layers: Mapping[str, Entry]) -> None:
        """Keep the layers, the strongest first."""
        self._layers = layers

    def first_entry(self, *names: str) -> Entry | None:
        """Return the first of ``names`` in the strongest layer that has any; blank is absent."""
        return next(self.iter_values(*names), None)

    def iter_values(self, *names: str) -> Iterator[Entry]:
        """Yield the values of ``names``, the strongest layer first; blank is absent."""
        for layer in self._layers:
            for name in names:
                if (entry := layer.get(name)) is not None and str(entry.value).strip():
                    yield entry

    def names(self) -> frozenset[str]:
        """Return the names of all layers."""
        return frozenset(name for layer in self._layers for name in layer)

    def with_layer(self, layer: Mapping[str, Entry]) -> "Variables":
        """Return these variables with a stronger layer on top."""
        return Variables(layer, *self._layers)

    def texts(self, keep: Callable[[Entry], bool]) -> dict[str, str]:
        """Return the variables that ``keep`` accepts, each from its strongest layer."""
        texts: dict[str, str] = {}
        for layer in reversed(self._layers):
            texts.update({name: str(entry.value) for name, entry in layer.items() if keep(entry)})
        return texts

    def __repr__(self) -> str:
        return f"Variables({sum(map(len, self._layers))})"


def expand_setting_entries(
    entries: Mapping[KeyPath, Entry], variables: Variables
) -> dict[KeyPath, Entry]:
    """Return entries with each ``${NAME}`` filled in; keep unknown references as they are.

    An expanded value is only as trusted as its least trusted part.
    """
    return {path: _expand_references(entry, variables) for path, entry in entries.items()}


def _expand_references(entry: Entry, variables: Variables) -> Entry:
    if not isinstance(entry.value, str) or "${" not in entry.value:
        return entry
    parts = {name: variables.first_entry(name) for name in _REFERENCE_PATTERN.findall(entry.value)}
    resolved = {name: part for name, part in parts.items() if part is not None}

    def replacement(reference: re.Match[str]) -> str:
        return str(resolved[reference[1]].value) if reference[1] in resolved else reference[0]

    text = _REFERENCE_PATTERN.sub(replacement, entry.value)
    origin = least_trusted_origin(entry.origin, (part.origin for part in resolved.values()))
    return msgspec.structs.replace(entry, value=text, texts=(text,), origin=origin)


def referenced_variables(entries: Mapping[KeyPath, Entry]) -> frozenset[str]:
    """Return the variables that values may refer to, as ``${NAME}`` or by bare name."""
    texts = [text for entry in entries.values() for text in entry.texts]
    names = (name for text in texts for name in _REFERENCE_PATTERN.findall(text))
    return frozenset({*texts, *names})


def is_secret_setting(path: KeyPath) -> bool:
    """Return whether a setting's name marks its value as a key; each header of a site does.

    >>> is_secret_setting(("services", "lumen", "api_key")), is_secret_setting(("cache", "minutes"))
    (True, False)
    """
    if path[:1] == ("sites",) and "headers" in path[2:3]:
        return True
    return _SECRET_NAME_PATTERN.search(path[-1]) is not None


def redact_setting_value(value: object, *, secret: bool) -> object:
    """Return a value for display, with keys and key-like texts masked.

    >>> redact_setting_value("https://me:hunter2@a.example/", secret=False)
    'https://***@a.example/'
    >>> redact_setting_value([{"token": "x", "name": "y"}, 5], secret=False)
    [{'token': '***', 'name': 'y'}, 5]
    """
    if secret:
        return [MASK] * len(value) if isinstance(value, list | tuple) else MASK
    if isinstance(value, list | tuple):
        return [redact_setting_value(item, secret=False) for item in value]
    if isinstance(value, dict):
        return {
            name: redact_setting_value(item, secret=is_secret_setting((str(name),)))
            for name, item in value.items()
        }
    return redact(value) if isinstance(value, str) else value
