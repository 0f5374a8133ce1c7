"""What is said and when, in the formats of subtitles that are text.

https://www.w3.org/TR/webvtt1/ (read 2026-11-15); the others have no standard beyond their files.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Final

import msgspec

from ...text import one_line

# The comma between two times is that of SubViewer, which YouTube writes.
_TIMES: Final = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}(?:[ \t]*-->[ \t]*|,)"
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
)
_SPEAKER: Final = re.compile(r"<v(?:\.[^\s>]{0,100})?[ \t]+([^>]{1,100})>")
_TAG: Final = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n")
_SCRIPT: Final = re.compile(r"\ufeff?\s*\[Script Info\]", re.IGNORECASE)
_FORMAT: Final = re.compile(r"^Format:(.*\bText\b.*)$", re.MULTILINE)
_DIALOGUE: Final = re.compile(r"^Dialogue:(.*)$", re.MULTILINE)
_CLOCK: Final = re.compile(r"(\d{1,4}):(\d{1,2}):(\d{1,2})")
_OVERRIDE: Final = re.compile(r"\{[^{}]{0,2000}\}")
_BREAK: Final = re.compile(r"\\[Nn]")
_FIELDS: Final = "Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
_MINUTE: Final = 60
_HOUR: Final = 3600


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """Some words, who says them, and when, in seconds."""

    begin: int
    end: int
    speaker: str
    lines: tuple[str, ...]


def cues_of(text: str) -> Iterator[Cue]:
    """Yield the cues of a text whose lines end in one way."""
    return _scripted(text) if _SCRIPT.match(text) else _blocks(text)


def _blocks(text: str) -> Iterator[Cue]:
    for block in _BLANK_LINES.split(text):
        times = _TIMES.search(block)
        if times is None:
            continue  # the head, a note, a style, a region
        _, _, said = block[times.end() :].partition("\n")
        speaker = _SPEAKER.search(said)
        yield Cue(
            begin=seconds(times[1], times[2], times[3]),
            end=seconds(times[4], times[5], times[6]),
            speaker=one_line(speaker[1], 100) if speaker else "",
            lines=_lines(unescape(_TAG.sub("", line)) for line in said.split("\n")),
        )


def _scripted(text: str) -> Iterator[Cue]:
    """Yield what SubStation Alpha has a line each for; the last field may have commas in it."""
    told = _FORMAT.search(text)
    names = [name.strip() for name in (told[1] if told else _FIELDS).split(",")]
    for line in _DIALOGUE.finditer(text):
        fields = dict(zip(names, line[1].split(",", len(names) - 1), strict=False))
        begin, end = (_CLOCK.search(fields.get(name, "")) for name in ("Start", "End"))
        if begin and end:
            said = _OVERRIDE.sub("", fields.get("Text", ""))
            yield Cue(
                begin=seconds(*begin.group(1, 2, 3)),
                end=seconds(*end.group(1, 2, 3)),
                speaker=one_line(fields.get("Name", ""), 100),
                lines=_lines(_BREAK.split(said)),
            )


def _lines(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (one_line(text, 1000) for text in texts)
    return tuple(line for line in lines if line)


def seconds(hours: str | None, minutes: str, rest: str) -> int:
    """Return a time of hours, minutes and seconds as seconds."""
    return int(hours or 0) * _HOUR + int(minutes) * _MINUTE + int(rest)
