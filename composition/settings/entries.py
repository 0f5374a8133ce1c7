"""What was written, by path and by variable, each with its origin. Neither shows its values."""

from collections.abc import Callable, Iterator, Mapping

from .origins import DEFAULT, Entry, KeyPath, Origin


class Entries:
    """Every setting that was given, from any layer, by its path."""

    __slots__ = ("_found",)

    def __init__(self, found: Mapping[KeyPath, Entry] | None = None) -> None:
        """Keep ``found``."""
        self._found = dict(found or {})

    def get(self, path: KeyPath) -> Entry | None:
        """Return what stands at ``path``; None when nothing does."""
        return self._found.get(path)

    def origin(self, path: KeyPath) -> Origin:
        """Return where the value at ``path`` came from."""
        entry = self._found.get(path)
        return DEFAULT if entry is None else entry.origin

    def below(self, path: KeyPath) -> dict[KeyPath, Entry]:
        """Return what stands below ``path``, by the rest of its path."""
        depth = len(path)
        return {
            full[depth:]: entry
            for full, entry in self._found.items()
            if len(full) > depth and full[:depth] == path
        }

    def names(self, path: KeyPath) -> tuple[str, ...]:
        """Return the names of the blocks and values right below ``path``, in order."""
        return tuple(dict.fromkeys(rest[0] for rest in self.below(path)))

    def __iter__(self) -> Iterator[tuple[KeyPath, Entry]]:
        return iter(self._found.items())

    def __repr__(self) -> str:
        return f"Entries({len(self._found)})"


class Variables:
    """Variables by name, layer by layer: what the process was given, then each ``.env``."""

    __slots__ = ("_layers",)

    def __init__(self, *layers: Mapping[str, Entry]) -> None:
        """Keep the layers, the strongest first."""
        self._layers = layers

    def first(self, *names: str) -> Entry | None:
        """Return the first of ``names`` in the strongest layer that has any; blank is absent."""
        for layer in self._layers:
            for name in names:
                entry = layer.get(name)
                if entry is not None and str(entry.value).strip():
                    return entry
        return None

    def texts(self, keep: Callable[[Entry], bool]) -> dict[str, str]:
        """Return every variable that is kept, each from the strongest layer that has it."""
        found: dict[str, str] = {}
        for layer in reversed(self._layers):
            found.update({name: str(e.value) for name, e in layer.items() if keep(e)})
        return found

    def __repr__(self) -> str:
        return f"Variables({sum(map(len, self._layers))})"
