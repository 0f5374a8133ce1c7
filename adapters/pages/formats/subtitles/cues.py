"""What is said and when, in the formats of subtitles that are text.

https://www.w3.org/TR/webvtt1/ (read 2026-11-15); SubRip has no standard beyond its files.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Final

import msgspec

from ...safe_text import one_line

_TIMES: Final = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}[ \t]*-->[ \t]*"
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
)
_SPEAKER: Final = re.compile(r"<v(?:\.[^\s>]{0,100})?[ \t]+([^>]{1,100})>")
_TAG: Final = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n")
_MINUTE_SECONDS: Final = 60
_HOUR_SECONDS: Final = 3600


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """Some words, who says them, and when, in seconds."""

    begin: int
    end: int
    speaker: str
    lines: tuple[str, ...]


def read_cues(text: str) -> Iterator[Cue]:
    """Yield the cues of a text whose lines end in one way."""
    for block in _BLANK_LINES.split(text):
        times = _TIMES.search(block)
        if times is None:
            continue  # the head, a note, a style, a region
        _, _, said = block[times.end() :].partition("\n")
        speaker = _SPEAKER.search(said)
        yield Cue(
            begin=_seconds(times[1], times[2], times[3]),
            end=_seconds(times[4], times[5], times[6]),
            speaker=one_line(speaker[1], 100) if speaker else "",
            lines=_lines(unescape(_TAG.sub("", line)) for line in said.split("\n")),
        )


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(text, 1000) for text in texts)
    return tuple(line for line in lines if line)


def _seconds(hours: str | None, minutes: str, rest: str) -> int:
    """Return a time of hours, minutes and seconds as seconds."""
    return int(hours or 0) * _HOUR_SECONDS + int(minutes) * _MINUTE_SECONDS + int(rest)
