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


if not TYPE_CHECKING:
    # Type checkers read the imports above, and complain of a name that is not among them.

    def __getattr__(name: str) -> object:
        if not name.startswith("_"):
            for room in map(import_module, _ROOMS):
                if name in (*room.__all__, *getattr(room, "UNLISTED", ())):
                    return getattr(room, name)
        message = f"module 'webseam' has no attribute {name!r}{_hint(name)}"
        raise AttributeError(message)


def _hint(name: str) -> str:
    """Return the name that may have been meant, in words."""
    if name.startswith("_"):
        return ""
    from difflib import get_close_matches  # noqa: PLC0415  only for a name that there is not

    near = get_close_matches(name, __dir__(), 1)
    return f". Did you mean {near[0]!r}?" if near else ""


def __dir__() -> list[str]:
    names = {name for room in map(import_module, _ROOMS) for name in room.__all__}
    return sorted(names | set(globals()))
