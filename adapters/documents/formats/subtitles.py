"""Subtitles: WebVTT and SubRip."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Final

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ...pages.safe_text import one_line
from .detection.charset import truncate_text
from .draft import Draft, Source, finish_page
from .markdown_writing import disarm_pictures
from .plain_text_page import read_text

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


# Subtitles: what is said, in paragraphs that begin with their time.

_TITLE: Final = re.compile(r"\ufeff?WEBVTT[ \t]+-?[ \t]*(\S[^\n]{0,200})")
# A paragraph ends with a pause, another voice, or a sentence once it is long.
_PAUSE_SECONDS: Final = 4
_MIN_LONG_PARAGRAPH_CHARS: Final = 400
_SENTENCE_ENDS: Final = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")
_SUBTITLE_TEXT_MINUTE_SECONDS: Final = 60
_SUBTITLE_TEXT_HOUR_SECONDS: Final = 3600


def read_subtitles(source: Source) -> Result[ReadPage, WebError]:
    """Return what is said; a file without a cue stays text."""
    text, notes = truncate_text(source)
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    content = "\n\n".join(_paragraphs(read_cues(whole)))
    if not content:
        return read_text(source)
    named = _TITLE.match(whole)
    title = named[1] if named else source.file_name
    return finish_page(Draft(content=disarm_pictures(content), title=title, notes=notes))


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
    return size >= _MIN_LONG_PARAGRAPH_CHARS and words[-1].endswith(_SENTENCE_ENDS)


def _clock(seconds: int) -> str:
    """Return a time as people write it.

    >>> _clock(3725), _clock(59)
    ('1:02:05', '0:59')
    """
    hours, rest = divmod(seconds, _SUBTITLE_TEXT_HOUR_SECONDS)
    minutes, left = divmod(rest, _SUBTITLE_TEXT_MINUTE_SECONDS)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


READERS: Final = {"subtitles": read_subtitles}
