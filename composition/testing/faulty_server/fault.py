"""What a fault is: a name, a way to misbehave, and the answers that are right for a client."""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TypeAlias, TypedDict, Unpack

from .conversation import Conversation

Play: TypeAlias = Callable[[Conversation], Coroutine[None, None, None]]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of the catalogue.

    ``expect`` holds the right error kinds, the best first; ``expect_api`` those for a JSON API's
    client, where they differ. ``check`` is what to look at beyond the kind. A fault with a
    ``host`` wants to be asked under that name, so the client needs a resolver of its own.
    """

    name: str
    group: str
    behaviour: str
    expect: tuple[str, ...]
    play: Play | None = None
    expect_api: tuple[str, ...] = ()
    check: str = ""
    port: str = "main"
    path: str = ""
    host: str = ""
    scheme: str = "http"

    def row(self) -> dict[str, object]:
        """Return the fault as JSON shows it, without what is left at its default."""
        always: dict[str, object] = {
            "name": self.name,
            "group": self.group,
            "behaviour": self.behaviour,
            "expect": list(self.expect),
        }
        sometimes = {
            "expect_api": list(self.expect_api),
            "check": self.check,
            "port": "" if self.port == "main" else self.port,
            "host": self.host,
        }
        return always | {name: value for name, value in sometimes.items() if value}


class Details(TypedDict, total=False):
    """What a fault may say beyond its name, its right answers and its behaviour."""

    play: Play
    check: str
    port: str
    path: str
    host: str
    scheme: str


class Group:
    """The faults of one kind, in the order in which their file declares them."""

    def __init__(self, name: str) -> None:
        """Begin with none."""
        self.name = name
        self.faults: list[Fault] = []

    def fault(self, expect: str, *, api: str = "", check: str = "") -> Callable[[Play], Play]:
        """Declare a function as a fault: its name is the path, its docstring the behaviour."""

        def declare(play: Play) -> Play:
            behaviour = inspect.getdoc(play) or ""
            self.add(play.__name__, expect, behaviour, play=play, api=api, check=check)
            return play

        return declare

    def add(
        self, name: str, expect: str, behaviour: str, *, api: str = "", **details: Unpack[Details]
    ) -> None:
        """Declare a fault from data; several kinds are separated by blanks."""
        self.faults.append(
            Fault(
                name=name,
                group=self.name,
                behaviour=behaviour,
                expect=tuple(expect.split()),
                expect_api=tuple(api.split()),
                **details,
            )
        )
