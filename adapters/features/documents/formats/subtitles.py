"""Subtitles: WebVTT and SubRip."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

import msgspec

from webseam.adapters.pages.safe_text import one_line
from webseam.ports.text import disarm_pictures

from .charset import decode_page_text
from .draft import Draft, PageResult, Source, finish_draft
from .plain_text_page import read_plain_text

_CUE_TIMES_PATTERN: Final = re.compile(
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}[ \t]*-->[ \t]*"
    r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,]\d{1,3}"
)
_SPEAKER_PATTERN: Final = re.compile(r"<v(?:\.[^\s>]{0,100})?[ \t]+([^>]{1,100})>")
_TAG_PATTERN: Final = re.compile(r"</?[A-Za-z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_BLANK_LINES_PATTERN: Final = re.compile(r"\n[ \t]*\n")
_MINUTE_SECONDS: Final = 60
_HOUR_SECONDS: Final = 3600
_TITLE_PATTERN: Final = re.compile(r"\ufeff?WEBVTT[ \t]+-?[ \t]*(\S[^\n]{0,200})")
# A paragraph ends at a pause, at another speaker, or at a sentence's end once it is long.
_PAUSE_SECONDS: Final = 4
_MIN_LONG_PARAGRAPH_CHARS: Final = 400
_SENTENCE_ENDS: Final = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f")


class Cue(msgspec.Struct, frozen=True, kw_only=True):
    """A text, its speaker, and its times in seconds."""

    begin: int
    end: int
    speaker: str
    lines: tuple[str, ...]


def read_subtitle_cues(text: str) -> Iterator[Cue]:
    """Yield the cues of a text without carriage returns."""
    for block in _BLANK_LINES_PATTERN.split(text):
        times = _CUE_TIMES_PATTERN.search(block)
        if times is None:
            continue  # the head, a note, a style, a region
        _, _, cue_text = block[times.end() :].partition("\n")
        speaker = _SPEAKER_PATTERN.search(cue_text)
        raw_lines = (unescape(_TAG_PATTERN.sub("", line)) for line in cue_text.split("\n"))
        yield Cue(
            begin=_cue_seconds(times[1], times[2], times[3]),
            end=_cue_seconds(times[4], times[5], times[6]),
            speaker=one_line(speaker[1], 100) if speaker else "",
            lines=tuple(filter(None, (one_line(line, 1000) for line in raw_lines))),
        )


def _cue_seconds(hours: str | None, minutes: str, seconds: str) -> int:
    return int(hours or 0) * _HOUR_SECONDS + int(minutes) * _MINUTE_SECONDS + int(seconds)


def read_subtitles(source: Source) -> PageResult:
    """Return the text in paragraphs that begin with their time; a file without cues stays text."""
    text, cuts = decode_page_text(source)
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    content = "\n\n".join(_cue_paragraphs(read_subtitle_cues(lines)))
    if not content:
        return read_plain_text(source)
    title_match = _TITLE_PATTERN.match(lines)
    title = title_match[1] if title_match else source.file_name
    return finish_draft(Draft(content=disarm_pictures(content), title=title, cuts=cuts))


def _cue_paragraphs(cues: Iterator[Cue]) -> Iterator[str]:
    """Join cues; a line that a rolling caption repeats is written once."""
    pieces: list[str] = []
    size, previous = 0, Cue(begin=0, end=0, speaker="", lines=())
    for cue in cues:
        lines = [line for line in cue.lines if line not in previous.lines]
        if pieces and _is_paragraph_end(pieces, size, previous, cue):
            yield " ".join(pieces)
            pieces, size = [], 0
        if lines and not pieces:
            speaker = f" {cue.speaker}:" if cue.speaker else ""
            pieces.append(f"[{_cue_clock(cue.begin)}]{speaker}")
        pieces += lines
        size += sum(map(len, lines))
        previous = cue if cue.lines else previous
    if pieces:
        yield " ".join(pieces)


def _is_paragraph_end(pieces: list[str], size: int, previous: Cue, cue: Cue) -> bool:
    if cue.speaker != previous.speaker or cue.begin - previous.end >= _PAUSE_SECONDS:
        return True
    return size >= _MIN_LONG_PARAGRAPH_CHARS and pieces[-1].endswith(_SENTENCE_ENDS)


def _cue_clock(seconds: int) -> str:
    """Return a time as players show it.

    >>> _cue_clock(3725), _cue_clock(59)
    ('1:02:05', '0:59')
    """
    hours, rest = divmod(seconds, _HOUR_SECONDS)
    minutes, left = divmod(rest, _MINUTE_SECONDS)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


READERS: Final = {"subtitles": read_subtitles}
