"""What the wording of one run tells: its ending, its capitals, and whom it repeats."""

from collections import Counter
from string import ascii_uppercase
from typing import Final

import msgspec

from ..blocks import Run
from ..metadata import Head

NAMES: Final = ("letters", "ends", "commas", "capitals", "boilerplate", "copies", "titled", "told")

_ENDINGS: Final = frozenset(".!?。…\"”'")
_HEAD: Final = 160
_TOLD_WORDS: Final = 9
_FEW: Final = 4
_FIRST: Final = 40
_LONGEST: Final = 2_000
_SHORT: Final = 40
_UPPER: Final = ascii_uppercase.encode()
_BOILERPLATE_WORDS: Final = (
    "© account advertisement advertising afp all back by cart click comment comments contact "
    "cookie cookies copyright credit download e-mail email facebook filed follow getty home image "
    "instagram join learn load log login menu min minute minutes more news newsletter newsletters "
    "next photo photos posted powered previous price print privacy published read register related "
    "reply report reserved reuters rights sale save search see share sharing show sign skip "
    "sponsored stories subscribe subscribed tag tag: tags tags: terms tweet twitter updated view "
    "written"
)
_BOILERPLATE: Final = frozenset(_BOILERPLATE_WORDS.split())


class Wording(msgspec.Struct, frozen=True, gc=False):
    """What runs are compared with: the page's title words, its description, its own runs."""

    title: frozenset[str]
    description: str
    copies: Counter[str]


def wording(head: Head, runs: list[Run]) -> Wording:
    """Gather what the runs of a page are compared with."""
    return Wording(
        title=frozenset(head.titles.lower().split()),
        description=" ".join(head.descriptions[:_LONGEST].lower().split()),
        copies=Counter([run.text for run in runs]),
    )


def phrase_features(run: Run, page: Wording) -> tuple[float, ...]:
    """Return the features in ``NAMES``."""
    text = run.text
    words = run.words
    sizes = (
        len(text) / words,
        1.0 if text[-1] in _ENDINGS else 0.0,
        text.count(",") / words,
    )
    return (*sizes, *(_of_short if words < _SHORT else _of_long)(text, page))


def _of_short(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    words = text[:_HEAD].lower().split()
    count = len(words)
    return (
        _capitals(text[:_FIRST]),
        0.0 if _BOILERPLATE.isdisjoint(words) else 1.0,
        page.copies[text] - 1.0,
        len(page.title.intersection(words)) / count,
        1.0 if count > _FEW and " ".join(words[:_TOLD_WORDS]) in page.description else 0.0,
    )


def _capitals(start: str) -> float:
    if start.isascii():
        # Many times as fast as to look at one letter after the other.
        return 1 - len(start.encode().translate(None, _UPPER)) / len(start)
    return sum(map(str.isupper, start)) / len(start)


def _of_long(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    described = 0.0
    if page.description:
        described = float(" ".join(text[:_HEAD].lower().split()[:_TOLD_WORDS]) in page.description)
    return 0.0, 0.0, page.copies[text] - 1.0, 0.0, described
