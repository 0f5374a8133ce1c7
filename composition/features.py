"""The features, and what each brings to the doors: one record each, found by one table.

A record names modules and loads none: to ask what there is costs nothing.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple

# In the order in which they are listed, and those whose records are written so far.
FEATURES = ("bulk",)


class Command(NamedTuple):
    """A command: the module that has its ``run``, the title it is listed under, what it does."""

    where: str
    title: str
    what: str


class Feature(NamedTuple):
    """What a feature brings. What is a text names ``module:name`` below ``webseam``."""

    name: str
    what: str
    extra: str = ""
    packages: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    commands: Mapping[str, Command] = {}
    backends: str = ""
    settings: str = ""
    health: str = ""
    tools: str = ""
    mounts: str = ""


def features() -> Iterator[Feature]:
    """Yield every feature."""
    for name in FEATURES:
        yield import_module(f"webseam.composition.{name}.feature").FEATURE


def brought(where: str) -> object:
    """Load what a record names."""
    module, _, name = where.partition(":")
    loaded = import_module(f"webseam.{module}")
    return getattr(loaded, name) if name else loaded
