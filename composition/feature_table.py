"""The table of features, and the parts that each adds to the core.

The core imports no feature. It loads a part by name. A record only names modules, so a start
imports only the modules that it uses. The commands of a feature are the files in its
folder ``commands``.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

FEATURES = ("documents", "models", "index", "evidence", "bulk", "gateway", "browser", "testing")


class Feature(NamedTuple):
    """A feature and its parts.

    ``extra`` is its extra in pyproject.toml, ``packages`` the import names which that installs.
    ``needs`` are the features that it may import. ``parts`` maps the name of a part to the place
    of its code, ``module:name`` below ``webseam``.
    """

    name: str
    what: str
    extra: str = ""
    packages: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    parts: Mapping[str, str] = {}


def iterate_features() -> Iterator[Feature]:
    """Yield every feature."""
    for name in FEATURES:
        yield import_module(f"webseam.composition.features.{name}").FEATURE


def load_feature_parts(part: str) -> Iterator[Any]:
    """Load the part of this name of each feature, in the order of the table."""
    for feature in iterate_features():
        if part in feature.parts:
            module, _, name = feature.parts[part].partition(":")
            yield getattr(import_module(f"webseam.{module}"), name)


def load_feature_part(part: str) -> Any:  # noqa: ANN401  each caller states the type it expects
    """Load the only part of this name."""
    (loaded,) = load_feature_parts(part)
    return loaded
