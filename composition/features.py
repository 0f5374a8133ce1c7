"""The features, and what each brings to the doors: one record each, found by one table.

A record names modules and loads none: to ask what there is costs nothing. The commands of a
feature are the files in its folder ``commands``.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

FEATURES = ("documents", "models", "index", "evidence", "bulk", "gateway", "browser", "testing")


class Feature(NamedTuple):
    """What a feature brings.

    ``extra`` is its extra of pyproject, ``packages`` what that installs, ``needs`` the features
    that it may import.
    """

    name: str
    what: str
    extra: str = ""
    packages: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


def features() -> Iterator[Feature]:
    """Yield every feature."""
    for name in FEATURES:
        yield import_module(f"webseam.composition.{name}.feature").FEATURE
