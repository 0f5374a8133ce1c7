"""The table of features, and the parts that each adds to the core.

The core imports no feature. The room that uses a part declares what it expects of it, and a key:
``RENDERER = Part[MakeRenderer]("renderer")``. The record of a feature says where its code is; it
only names modules, so a start imports only those that it uses. mypy cannot follow such a name, so
``tests/feature_parts.py`` imports each part and holds it against its key. The commands of a feature
are the files in its folder ``commands``.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from msgspec import Struct

FEATURES = (
    "documents",
    "models",
    "index",
    "evidence",
    "bulk",
    "data",
    "gateway",
    "browser",
    "testing",
)


class SettingsBlock(NamedTuple):
    """A block of settings that the core never reads.

    ``struct`` is where it is declared, ``module:name`` below ``webseam``; that is imported where a
    file, a variable or an argument names the block. Where settings are listed, the block stands
    right ``after`` that setting or block.
    """

    name: str
    struct: str
    after: str


class Feature(NamedTuple):
    """A feature and its parts.

    ``extra`` is its extra in pyproject.toml, ``packages`` the import names which that installs.
    ``needs`` are the features that it may import. ``parts`` maps the name of a key to the place
    of the code, ``module:name`` below ``webseam``.
    """

    name: str
    what: str
    extra: str = ""
    packages: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    parts: Mapping[str, str] = {}
    settings: tuple[SettingsBlock, ...] = ()


def iterate_features() -> Iterator[Feature]:
    """Yield every feature."""
    for name in FEATURES:
        yield import_module(f"webseam.composition.features.{name}").FEATURE


Promised = TypeVar("Promised")


class Part(Generic[Promised]):
    """The key of a part that exactly one feature has, and its type."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class SharedPart(Generic[Promised]):
    """The key of a part that several features may have, and its type."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def load(part: Part[Promised]) -> Promised:
    """Import and return the part."""
    loaded: Promised
    (loaded,) = _import_parts(part.name)
    return loaded


def load_each(part: SharedPart[Promised]) -> Iterator[Promised]:
    """Import and yield the part of each feature that has it, in the order of the table."""
    yield from _import_parts(part.name)


def load_settings_block(block: SettingsBlock) -> "type[Struct]":
    """Import and return the struct that declares a block of settings."""
    declared: type[Struct] = _import_object(block.struct)
    return declared


def _import_parts(name: str) -> Iterator[Any]:
    for feature in iterate_features():
        if name in feature.parts:
            yield _import_object(feature.parts[name])


def _import_object(reference: str) -> Any:  # noqa: ANN401  its callers state the type
    module, _, name = reference.partition(":")
    return getattr(import_module(f"webseam.{module}"), name)
