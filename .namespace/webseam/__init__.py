"""Web search and page extraction for agents, over many backends.

Names load on first use, so that ``import webseam`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .composition import *  # noqa: F403  the rooms' own __all__ are the list
    from .composition import open as open  # noqa: A004  it is no name for a star import
    from .kernel import *  # noqa: F403
    from .ports import *  # noqa: F403

__version__ = "0.1.0"

_ROOMS = ("webseam.ports", "webseam.kernel", "webseam.composition")


def __getattr__(name: str) -> object:
    if not name.startswith("_"):
        for room in map(import_module, _ROOMS):
            if name in (*room.__all__, *getattr(room, "UNLISTED", ())):
                return getattr(room, name)
    message = f"module 'webseam' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    names = {name for room in map(import_module, _ROOMS) for name in room.__all__}
    return sorted(names | set(globals()))
