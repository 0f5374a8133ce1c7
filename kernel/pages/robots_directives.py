"""Parse the robots directives of ``X-Robots-Tag`` and ``<meta name=robots>``.

See https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag; art sites
also use ``noai`` (2026-11-17). Unknown directives are ignored.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_DIRECTIVES: Final = frozenset({
    "noai", "noarchive", "nocache", "nofollow", "noimageai", "noimageindex", "noindex", "none",
    "nosnippet", "notranslate",
})  # fmt: skip
_NOFOLLOW_DIRECTIVES: Final = ("nofollow", "none")
# Directives with a value, which look like a robot's name: "max-image-preview: none".
_VALUED_DIRECTIVES: Final = frozenset({
    "max-image-preview", "max-snippet", "max-video-preview", "unavailable_after",
})  # fmt: skip
_ROBOT_NAME_PATTERN: Final = re.compile(r"\*|[a-z_][a-z0-9_.-]*")
_MAX_DIRECTIVES: Final = 20


def parse_robots_directives(values: Iterable[str]) -> tuple[str, ...]:
    """Return the directives of header values, each once, with the robot's name if one is given.

    >>> parse_robots_directives(["noindex, max-snippet:-1", "MyBot: nofollow"])
    ('mybot: nofollow', 'noindex')
    """
    return tuple(
        sorted({name for value in values for name in _value_directives(value)})[:_MAX_DIRECTIVES]
    )


def robots_forbid_links(values: Iterable[str], robot: str) -> bool:
    """Tell whether the directives forbid a robot to follow the links of a page.

    >>> [robots_forbid_links([text], "webseam") for text in ("otherbot: nofollow", "none")]
    [False, True]
    """
    name = robot.lower()
    forbidding = {*_NOFOLLOW_DIRECTIVES, *(f"{name}: {word}" for word in _NOFOLLOW_DIRECTIVES)}
    return not forbidding.isdisjoint(parse_robots_directives(values))


def _value_directives(value: str) -> Iterator[str]:
    robot = ""
    for piece in value.lower().split(","):
        name, colon, rest = (part.strip() for part in piece.rpartition(":"))
        if colon and name in _VALUED_DIRECTIVES:
            continue
        # A date has colons too, but names no robot.
        if colon and _ROBOT_NAME_PATTERN.fullmatch(name):
            robot = "" if name == "*" else f"{name}: "
        if rest in _DIRECTIVES:
            yield f"{robot}{rest}"
