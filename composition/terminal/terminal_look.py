"""What a stream can show: its width, and whether bold, colour, links and symbols reach it."""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Literal, TextIO, TypeAlias

import msgspec

# Callers name a meaning; the tables below map it to styles.
Meaning: TypeAlias = Literal[
    "plain", "title", "type", "quiet", "match", "good", "care", "bad", "bar", "chosen"
]
_STYLES = {"title": "1", "type": "1", "quiet": "2", "match": "1", "bad": "1"}
# Theme colours only. No bright black: in Solarized's dark theme it is the background.
_COLOURS = {"match": "35", "good": "32", "care": "33", "bad": "31", "bar": "36", "chosen": "36"}
MAX_NARROW_WIDTH = 71  # narrower tables drop columns
MAX_PROSE_WIDTH = 88  # running text is never wider, however wide the window
_MIN_WIDTH, _USUAL_WIDTH = 20, 80


class Symbols(msgspec.Struct, frozen=True):
    """One symbol for one meaning; a word always follows it."""

    good: str = "✓"
    care: str = "!"
    bad: str = "✗"
    off: str = "·"
    dot: str = " · "
    cut: str = "…"
    bar: str = "━"
    rest: str = "─"
    to: str = "→"
    chosen: str = "\u203a"
    spinner: str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


UNICODE_SYMBOLS = Symbols()
ASCII_SYMBOLS = Symbols(
    good="+",
    bad="x",
    off="-",
    dot=" - ",
    cut="...",
    bar="=",
    rest=".",
    to="->",
    chosen=">",
    spinner="|/-\\",
)


class TerminalLook(msgspec.Struct, frozen=True, kw_only=True):
    """The abilities of a stream. Only a ``person`` gets wrapped and cut lines, and a footer."""

    person: bool = False
    width: int = _USUAL_WIDTH
    styles: bool = False
    colours: bool = False
    links: bool = False
    symbols: Symbols = UNICODE_SYMBOLS

    @property
    def prose(self) -> int:
        """The width of running text."""
        return min(self.width, MAX_PROSE_WIDTH)

    def escape_numbers(self, meaning: Meaning) -> str:
        """Return the numbers of the escape that begins a meaning; empty where there is none."""
        if not self.styles:
            return ""
        colour = _COLOURS.get(meaning, "") if self.colours else ""
        return ";".join(filter(None, (_STYLES.get(meaning, ""), colour)))


class DrawnLook(msgspec.Struct, frozen=True, kw_only=True):
    """What a terminal shows of drawn markdown."""

    width: int = _USUAL_WIDTH
    styles: bool = False
    colours: bool = False
    links: bool = False


def read_terminal_look(stream: TextIO, environ: Mapping[str, str] | None = None) -> TerminalLook:
    """Return what a stream can show.

    ``NO_COLOR`` (no-color.org) takes colours away and leaves bold; ``FORCE_COLOR``
    (force-color.org) gives them to a pipe; ``TERM=dumb`` takes every escape.
    """
    variables = os.environ if environ is None else environ
    person = stream.isatty()
    dumb = _is_dumb_terminal(variables)
    plain = bool(variables.get("NO_COLOR"))
    forced = bool(variables.get("FORCE_COLOR")) and not plain
    styles = forced or (person and not dumb)
    return TerminalLook(
        person=person,
        width=max(_MIN_WIDTH, terminal_columns()),
        styles=styles,
        colours=styles and not plain,
        # The old Windows console prints the escape of a link as text; Windows Terminal does not.
        links=person and not dumb and (sys.platform != "win32" or "WT_SESSION" in variables),
        symbols=UNICODE_SYMBOLS
        if _can_encode_symbols(stream) and not (person and dumb)
        else ASCII_SYMBOLS,
    )


def terminal_columns() -> int:
    """Return the width of the terminal, as ``shutil`` does, which also loads three compressors."""
    wanted = os.environ.get("COLUMNS", "")
    with suppress(OSError, ValueError):  # an int of thousands of digits
        columns = int(wanted) if wanted.isdecimal() else 0
        return columns or os.get_terminal_size().columns or _USUAL_WIDTH
    return _USUAL_WIDTH


def _is_dumb_terminal(variables: Mapping[str, str]) -> bool:
    if sys.platform == "win32":  # Windows does not set TERM
        return variables.get("TERM") == "dumb"
    return variables.get("TERM", "dumb") in ("", "dumb")


def _can_encode_symbols(stream: TextIO) -> bool:
    try:
        "✓✗·…━─→\u203a⠋".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
