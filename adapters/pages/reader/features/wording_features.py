"""What the wording of one run tells: its ending, its capitals, and whom it repeats."""

from collections import Counter
from string import ascii_uppercase
from typing import Final

import msgspec

from ..metadata import PageHead
from ..page_segments import TextRun
from .cues import BOILERPLATE, BOILERPLATE_STARTS, COMMAS, ENDINGS
from .word_splitting import split_words

NAMES: Final = ("letters", "ends", "commas", "capitals", "boilerplate", "copies", "titled", "told")

_HEAD: Final = 160
_TOLD_WORDS: Final = 9
_MIN_DESCRIBED_WORDS: Final = 4
_CAPITALS_CHARS: Final = 40
_MAX_DESCRIPTION_CHARS: Final = 2_000
_MAX_SHORT_RUN_WORDS: Final = 40
_UPPER: Final = ascii_uppercase.encode()
_BOILERPLATE: Final = frozenset(word for some in BOILERPLATE.values() for word in some.split())


class Wording(msgspec.Struct, frozen=True, gc=False):
    """What runs are compared with: the page's title words, its description, its own runs."""

    title: frozenset[str]
    description: str
    copies: Counter[str]


def page_wording(head: PageHead, runs: list[TextRun]) -> Wording:
    """Gather what the runs of a page are compared with."""
    return Wording(
        title=frozenset(split_words(head.titles)),
        description=" ".join(split_words(head.descriptions[:_MAX_DESCRIPTION_CHARS])),
        copies=Counter([run.text for run in runs]),
    )


def phrase_features(run: TextRun, page: Wording) -> tuple[float, ...]:
    """Return the features in ``NAMES``."""
    text = run.text
    words = run.words
    sizes = (
        len(text) / words,
        1.0 if text[-1] in ENDINGS else 0.0,
        (text.count(",") if text.isascii() else sum(map(text.count, COMMAS))) / words,
    )
    return (*sizes, *(_of_short if words < _MAX_SHORT_RUN_WORDS else _of_long)(text, page))


def _of_short(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    words = text[:_HEAD].lower().split() if text.isascii() else split_words(text[:_HEAD])
    count = len(words)
    return (
        _capitals(text[:_CAPITALS_CHARS]),
        float(_is_boilerplate(text, words)),
        page.copies[text] - 1.0,
        len(page.title.intersection(words)) / count,
        1.0
        if count > _MIN_DESCRIBED_WORDS and " ".join(words[:_TOLD_WORDS]) in page.description
        else 0.0,
    )


def _is_boilerplate(text: str, words: list[str]) -> bool:
    if not _BOILERPLATE.isdisjoint(words):
        return True
    return not text.isascii() and text.startswith(BOILERPLATE_STARTS)


def _capitals(start: str) -> float:
    if start.isascii():
        # Many times as fast as to look at one letter after the other.
        return 1 - len(start.encode().translate(None, _UPPER)) / len(start)
    return sum(map(str.isupper, start)) / len(start)


def _of_long(text: str, page: Wording) -> tuple[float, float, float, float, float]:
    described = 0.0
    if page.description:
        described = float(" ".join(split_words(text[:_HEAD])[:_TOLD_WORDS]) in page.description)
    return 0.0, 0.0, page.copies[text] - 1.0, 0.0, described
