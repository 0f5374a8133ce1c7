"""A group of marks: what is set in it holds until its closing brace."""

from ...safe_text import MIN_RAISED_HALF_POINTS
from .control_words import LEVELLED, MARKS, RAISED


class RtfField:
    """What makes a field: its instruction, and whether a box is ticked."""

    __slots__ = ("making", "ticked")

    def __init__(self) -> None:
        """Know nothing yet."""
        self.making = ""
        self.ticked = False


class RtfGroup:
    """What holds until the closing brace.

    ``begun`` is whether its destination began in it, ``around`` the one before that.
    """

    __slots__ = (
        "around", "begun", "deleted", "destination", "field", "font", "hidden", "looks", "skip",
        "starred",
    )  # fmt: skip

    def __init__(self, above: "RtfGroup | None" = None) -> None:
        self.font: int | None = above.font if above else None
        self.destination: str = above.destination if above else ""
        self.around: str = above.around if above else ""
        self.hidden: bool = above.hidden if above else False
        self.deleted: bool = above.deleted if above else False
        self.looks: frozenset[str] = above.looks if above else frozenset()
        self.skip: int = above.skip if above else 1
        self.field: RtfField = above.field if above else RtfField()
        self.starred = False
        self.begun = False

    def begin(self, destination: str) -> None:
        """Have what follows stand in a place of its own."""
        self.around, self.destination, self.begun = self.destination, destination, True

    def resume(self) -> None:
        """Have what follows stand in the place before this one."""
        self.destination = self.around

    def look(self, word: str, number: int | None) -> None:
        """Begin an emphasis, or end it where the number is 0; so for what stands above the line."""
        if word in LEVELLED:
            self.looks -= RAISED
        elif number == 0 or (
            word == "up" and number is not None and number < MIN_RAISED_HALF_POINTS
        ):
            self.looks -= {word}
        else:
            self.looks |= {word}

    def reset(self) -> None:
        """Have letters look like those of no emphasis, in the first font."""
        self.hidden, self.deleted, self.font, self.looks = False, False, None, frozenset()

    @property
    def is_raised(self) -> bool:
        """Whether text stands above the line."""
        return not self.looks.isdisjoint(RAISED)

    @property
    def marks(self) -> str:
        """How markdown marks what is emphasised so; the outer mark first."""
        return "".join(dict.fromkeys(mark for word, mark in MARKS.items() if word in self.looks))
