"""A group of marks: what is set in it holds until its closing brace."""

from typing import Final

from ...text import LEAST_RAISED
from .words import LEVELLED, MARKS, RAISED

WESTERN: Final = "cp1252"


class Group:
    """What holds until the closing brace."""

    __slots__ = ("codec", "destination", "hidden", "looks", "skip", "starred")

    def __init__(self, above: "Group | None" = None) -> None:
        self.codec: str = above.codec if above else WESTERN
        self.destination: str = above.destination if above else ""
        self.hidden: bool = above.hidden if above else False
        self.looks: frozenset[str] = above.looks if above else frozenset()
        self.skip: int = above.skip if above else 1
        self.starred = False

    def look(self, word: str, number: int | None) -> None:
        """Begin an emphasis, or end it where the number is 0; so for what stands above the line."""
        if word in LEVELLED:
            self.looks -= RAISED
        elif number == 0 or (word == "up" and number is not None and number < LEAST_RAISED):
            self.looks -= {word}
        else:
            self.looks |= {word}

    @property
    def is_raised(self) -> bool:
        """Whether text stands above the line."""
        return not self.looks.isdisjoint(RAISED)

    @property
    def marks(self) -> str:
        """How markdown marks what is emphasised so; the outer mark first."""
        return "".join(dict.fromkeys(mark for word, mark in MARKS.items() if word in self.looks))
