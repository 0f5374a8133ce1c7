"""What was written, by path and by variable, each with its origin. Neither shows its values."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import msgspec

from ...kernel.text.redaction import MASK, redact
from ...kernel.trust import Origin, weakest_origin

KeyPath: TypeAlias = tuple[str, ...]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One value as it was written: a text, a number, a yes or no, or a list; never a block.

    ``texts`` are the spellings of the value or of each in the list, so that a key of digits stays
    the key that it is. Nothing of it shows in a repr: it may be a key.
    """

    value: object
    origin: Origin
    texts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Entry({str(self.origin)!r})"


DEFAULT = Origin(layer="default")


def setting_path_text(path: KeyPath) -> str:
    """Return a path as people write it.

    >>> setting_path_text(("cache", "minutes"))
    'cache.minutes'
    """
    return ".".join(path)


class Entries:
    """Every setting that was given, from any layer, by its path."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[KeyPath, Entry] | None = None) -> None:
        """Keep ``entries``."""
        self._entries = dict(entries or {})

    def get(self, path: KeyPath) -> Entry | None:
        """Return what stands at ``path``; None when nothing does."""
        return self._entries.get(path)

    def origin(self, path: KeyPath) -> Origin:
        """Return where the value at ``path`` came from."""
        entry = self._entries.get(path)
        return DEFAULT if entry is None else entry.origin

    def below(self, path: KeyPath) -> dict[KeyPath, Entry]:
        """Return what stands below ``path``, by the rest of its path."""
        depth = len(path)
        return {
            full[depth:]: entry
            for full, entry in self._entries.items()
            if len(full) > depth and full[:depth] == path
        }

    def names(self, path: KeyPath) -> tuple[str, ...]:
        """Return the names of the blocks and values right below ``path``, in order."""
        return tuple(dict.fromkeys(rest[0] for rest in self.below(path)))

    def __iter__(self) -> Iterator[tuple[KeyPath, Entry]]:
        return iter(self._entries.items())

    def __repr__(self) -> str:
        return f"Entries({len(self._entries)})"


class Variables:
    """Variables by name, layer by layer: what the process was given, then each ``.env``."""

    __slots__ = ("_layers",)

    def __init__(self, *layers: Mapping[str, Entry]) -> None:
        """Keep the layers, the strongest first."""
        self._layers = layers

    def first(self, *names: str) -> Entry | None:
        """Return the first of ``names`` in the strongest layer that has any; blank is absent."""
        return next(self.each(*names), None)

    def each(self, *names: str) -> Iterator[Entry]:
        """Yield what any of ``names`` is, the strongest layer first; blank is absent."""
        for layer in self._layers:
            for name in names:
                entry = layer.get(name)
                if entry is not None and str(entry.value).strip():
                    yield entry

    def under(self, layer: Mapping[str, Entry]) -> "Variables":
        """Return these variables below a layer that wins over them."""
        return Variables(layer, *self._layers)

    def texts(self, keep: Callable[[Entry], bool]) -> dict[str, str]:
        """Return every variable that is kept, each from the strongest layer that has it."""
        texts_by_name: dict[str, str] = {}
        for layer in reversed(self._layers):
            texts_by_name.update({name: str(e.value) for name, e in layer.items() if keep(e)})
        return texts_by_name

    def __repr__(self) -> str:
        return f"Variables({sum(map(len, self._layers))})"


_REFERENCE = re.compile(r"\$\{([^}]+)\}")


def expand_entries(entries: Mapping[KeyPath, Entry], variables: Variables) -> dict[KeyPath, Entry]:
    """Return entries with each ``${NAME}`` filled in; one that leads nowhere stays as it is.

    A value is no more trusted than what was filled into it.
    """
    return {path: _filled(entry, variables) for path, entry in entries.items()}


def _filled(entry: Entry, variables: Variables) -> Entry:
    if not isinstance(entry.value, str) or "${" not in entry.value:
        return entry
    parts = {name: variables.first(name) for name in _REFERENCE.findall(entry.value)}
    known = {name: part for name, part in parts.items() if part is not None}

    def value_of(reference: re.Match[str]) -> str:
        return str(known[reference[1]].value) if reference[1] in known else reference[0]

    text = _REFERENCE.sub(value_of, entry.value)
    origin = weakest_origin(entry.origin, (part.origin for part in known.values()))
    return msgspec.structs.replace(entry, value=text, texts=(text,), origin=origin)


def referenced_variables(entries: Mapping[KeyPath, Entry]) -> frozenset[str]:
    """Return the names of variables that values may refer to: as ``${NAME}``, or by the name."""
    texts = [text for entry in entries.values() for text in entry.texts]
    inside = (name for text in texts for name in _REFERENCE.findall(text))
    return frozenset({*texts, *inside})


# A secret is known by its name, by who declares it, and by its shape.
_SECRET = re.compile(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|keys?|tokens?|secrets?|pass(?:word|wd|phrase)?|authorization|"
    r"cookie|credentials?|bearer)$"
)


def is_secret(path: KeyPath) -> bool:
    """Tell whether a name says that its value is a key.

    >>> is_secret(("services", "lumen", "api_key")), is_secret(("cache", "minutes"))
    (True, False)
    """
    return _SECRET.search(path[-1]) is not None


def redact_value(value: object, *, secret: bool) -> object:
    """Return a value that can be shown: a key is masked, and so is what looks like one.

    >>> redact_value("https://me:hunter2@a.example/", secret=False)
    'https://***@a.example/'
    >>> redact_value([{"token": "x", "name": "y"}, 5], secret=False)
    [{'token': '***', 'name': 'y'}, 5]
    """
    if secret:
        return [MASK] * len(value) if isinstance(value, list | tuple) else MASK
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return [redact_value(item, secret=False) for item in value]
    if isinstance(value, dict):
        return {
            name: redact_value(item, secret=is_secret((str(name),))) for name, item in value.items()
        }
    return value
