"""Subtitles, WebVTT and SubRip: what is said, in paragraphs that begin with their time.

https://www.w3.org/TR/webvtt1/ (read 2026-11-15); SubRip has no standard beyond its own files.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ..text import one_line
from .detection.charset import clipped
from .draft import Draft, Source, page_of
from .markup import tamed
from .plain import read_text

_TIMES: Final = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}[ \t]*-->"
    r"[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
)
_SPEAKER: Final = re.compile(r"<v(?:\.[^\s>]{0,100})?[ \t]+([^>]{1,100})>")
_TAG: Final = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_BLANK_LINES: Final = re.compile(r"\n[ \t]*\n")
_TITLE: Final = re.compile(r"\ufeff?WEBVTT[ \t]+-?[ \t]*(\S[^\n]{0,200})")
# A paragraph ends with a pause, another voice, or a sentence once it is long.
_PAUSE_SECONDS: Final = 4
_LONG: Final = 400
_SENTENCE_ENDS: Final = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")
_MINUTE: Final = 60
_HOUR: Final = 3600


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """Some words, who says them, and when, in seconds."""

    begin: int
    end: int
    speaker: str
    lines: tuple[str, ...]


def read_subtitles(source: Source) -> Result[ReadPage, WebError]:
    """Return what is said; a file without a cue stays text."""
    text, notes = clipped(source)
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    content = "\n\n".join(_paragraphs(_cues(whole)))
    if not content:
        return read_text(source)
    named = _TITLE.match(whole)
    title = named[1] if named else source.file_name
    return page_of(Draft(content=tamed(content), title=title, notes=notes))


def _cues(text: str) -> Iterator[Cue]:
    for block in _BLANK_LINES.split(text):
        times = _TIMES.search(block)
        if times is None:
            continue  # the head, a note, a style, a region
        _, _, said = block[times.end() :].partition("\n")
        speaker = _SPEAKER.search(said)
        lines = (one_line(unescape(_TAG.sub("", line)), 1000) for line in said.split("\n"))
        yield Cue(
            begin=_seconds(times[1], times[2], times[3]),
            end=_seconds(times[4], times[5], times[6]),
            speaker=one_line(speaker[1], 100) if speaker else "",
            lines=tuple(line for line in lines if line),
        )


def _seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return int(hours or 0) * _HOUR + int(minutes) * _MINUTE + int(seconds)


def _paragraphs(cues: Iterator[Cue]) -> Iterator[str]:
    """Join cues; a line that a rolling caption shows again is said once."""
    words: list[str] = []
    size, before = 0, Cue(begin=0, end=0, speaker="", lines=())
    for cue in cues:
        lines = [line for line in cue.lines if line not in before.lines]
        if words and _ends(words, size, before, cue):
            yield " ".join(words)
            words, size = [], 0
        if lines and not words:
            words.append(f"[{_clock(cue.begin)}]{f' {cue.speaker}:' if cue.speaker else ''}")
        words += lines
        size += sum(map(len, lines))
        before = cue if cue.lines else before
    if words:
        yield " ".join(words)


def _ends(words: list[str], size: int, before: Cue, cue: Cue) -> bool:
    if cue.speaker != before.speaker or cue.begin - before.end >= _PAUSE_SECONDS:
        return True
    return size >= _LONG and words[-1].endswith(_SENTENCE_ENDS)


def _clock(seconds: int) -> str:
    """Return a time as people write it.

    >>> _clock(3725), _clock(59)
    ('1:02:05', '0:59')
    """
    hours, rest = divmod(seconds, _HOUR)
    minutes, left = divmod(rest, _MINUTE)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
