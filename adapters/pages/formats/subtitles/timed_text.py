"""TTML, the subtitles of broadcasters: XML whose paragraphs say when they are shown.

https://www.w3.org/TR/ttml2/
"""

import re
from collections.abc import Iterator
from typing import Final

from ...text import one_line
from ..draft import Source
from ..flat.packing import PART, package_of
from ..office.package import BrokenFileError, TooLargeError
from ..office.xml import Node, nodes_of
from .cues import Cue, seconds

_ROOT: Final = re.compile(rb"<(?:\w{1,20}:)?tt[\s>]")
_LOOK_AT: Final = 4096
_CLOCK: Final = re.compile(r"(\d{1,4}):(\d{1,2}):(\d{1,2})")
# In seconds, minutes, hours or thousandths; frames and ticks are of a length told elsewhere.
_OFFSET: Final = re.compile(r"(\d{1,9})(?:\.\d{1,9})?(ms|s|m|h)")
_UNITS: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600}


def is_timed_text(body: bytes) -> bool:
    """Tell whether subtitles are XML."""
    return _ROOT.search(body[:_LOOK_AT]) is not None


def timed_cues(source: Source) -> Iterator[Cue]:
    """Yield the cues, as far as the file is whole."""
    try:
        for node in nodes_of(package_of(source), PART, "p", entities=True):
            begin = _seconds(node.get("begin"))
            end = _seconds(node.get("end")) or begin
            lines = tuple(line for line in map(one_line, _words(node).split("\n")) if line)
            yield Cue(begin=begin, end=max(begin, end), speaker="", lines=lines)
    except (BrokenFileError, TooLargeError):
        return


def _words(node: Node) -> str:
    return "".join(
        " ".join(child.split("\n")) if isinstance(child, str) else _inner(child)
        for child in node.children
    )


def _inner(node: Node) -> str:
    if node.name == "metadata":
        return ""
    return "\n" if node.name == "br" else _words(node)


def _seconds(time: str) -> int:
    clock, offset = _CLOCK.match(time), _OFFSET.fullmatch(time)
    if clock:
        return seconds(*clock.group(1, 2, 3))
    return int(int(offset[1]) * _UNITS[offset[2]]) if offset else 0
