"""What a page asks of robots, in ``X-Robots-Tag`` and in ``<meta name=robots>``, beside robots.txt.

The words are those of https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
and ``noai`` of art sites (2026-11-17); one that is not known asks for nothing.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_WORDS: Final = frozenset({
    "noai", "noarchive", "nocache", "nofollow", "noimageai", "noimageindex", "noindex", "none",
    "nosnippet", "notranslate",
})  # fmt: skip
_CLOSING: Final = ("nofollow", "none")
# Words that take a value, as a robot's name takes words: "max-image-preview: none".
_VALUED: Final = frozenset({
    "max-image-preview", "max-snippet", "max-video-preview", "unavailable_after",
})  # fmt: skip
_ROBOT: Final = re.compile(r"\*|[a-z_][a-z0-9_.-]*")
_ALL: Final = "*"
_MAX_DIRECTIVES: Final = 20


def parse_robots_directives(values: Iterable[str]) -> tuple[str, ...]:
    """Return what values of the header ask for, each once; for one robot alone after its name.

    >>> parse_robots_directives(["noindex, max-snippet:-1", "MyBot: nofollow"])
    ('mybot: nofollow', 'noindex')
    """
    return tuple(sorted({wish for value in values for wish in _wishes(value)})[:_MAX_DIRECTIVES])


def forbids_links(values: Iterable[str], robot: str) -> bool:
    """Tell whether a robot is asked to leave the links of a page alone.

    >>> forbids_links(["otherbot: nofollow"], "webseam"), forbids_links(["none"], "webseam")
    (False, True)
    """
    name = robot.lower()
    meant = {*_CLOSING, *(f"{name}: {word}" for word in _CLOSING)}
    return not meant.isdisjoint(parse_robots_directives(values))


def _wishes(value: str) -> Iterator[str]:
    robot = ""
    for piece in value.lower().split(","):
        name, colon, rest = (part.strip() for part in piece.rpartition(":"))
        if colon and name in _VALUED:
            continue
        # A date has colons too, and names nobody.
        if colon and _ROBOT.fullmatch(name):
            robot = "" if name == _ALL else f"{name}: "
        if rest in _WORDS:
            yield f"{robot}{rest}"
