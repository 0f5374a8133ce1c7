"""Compute the quality signals of Gopher and FineWeb. They only mark rows.

Gopher: https://arxiv.org/abs/2112.11446, appendix A.1.1; FineWeb: https://arxiv.org/abs/2406.17557,
section 3.6 (both read 2026-11-15). Words are separated by blanks, in every language.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_STOP_WORDS: Final = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
_BULLETS: Final = ("•", "-", "*", "‣", "◦")
# Include the full-width marks of Chinese and Japanese, and closing quotation marks.
_SENTENCE_ENDS: Final = (
    ".",
    "!",
    "?",
    '"',
    "'",
    "\u3002",
    "\uff01",
    "\uff1f",
    "\u2026",
    "\u201d",
    "\u2019",
)
_MAX_SHORT_LINE_CHARS: Final = 30
_NO_MAXIMUM: Final = float("inf")
# Lowest and highest value, both included.
_GOPHER_RANGES: Final = {
    "gopher_words": (50, 100_000), "gopher_word_length": (3, 10), "gopher_symbols": (0, 0.1),
    "gopher_bullet_lines": (0, 0.9), "gopher_ellipsis_lines": (0, 0.3),
    "gopher_alphabetic_words": (0.8, 1), "gopher_stop_words": (2, _NO_MAXIMUM),
}  # fmt: skip
_FINEWEB_RANGES: Final = {
    "fineweb_ended_lines": (0.12, 1),
    "fineweb_short_lines": (0, 0.67),
    "fineweb_repeated_characters": (0, 0.1),
    "fineweb_line_breaks": (0, 0.3),
}


def quality_signals(text: str) -> dict[str, object]:
    """Return the signals of a text, and whether it passes the thresholds of each paper."""
    words = text.split()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    signals = _gopher_signals(words, lines, text) | _fineweb_signals(words, lines, text)
    return {
        **{name: round(value, 4) for name, value in signals.items()},
        "gopher_passes": _are_in_ranges(signals, _GOPHER_RANGES),
        "fineweb_passes": _are_in_ranges(signals, _FINEWEB_RANGES),
    }


def _gopher_signals(words: Sequence[str], lines: Sequence[str], text: str) -> dict[str, float]:
    count = len(words)
    return {
        "gopher_words": count,
        "gopher_word_length": _signal_ratio(sum(map(len, words)), count),
        "gopher_symbols": _signal_ratio(
            text.count("#") + text.count("...") + text.count("…"), count
        ),
        "gopher_bullet_lines": _signal_share(line.startswith(_BULLETS) for line in lines),
        "gopher_ellipsis_lines": _signal_share(line.endswith(("...", "…")) for line in lines),
        "gopher_alphabetic_words": _signal_share(any(map(str.isalpha, word)) for word in words),
        "gopher_stop_words": len(_STOP_WORDS & {word.lower() for word in words}),
    }


def _fineweb_signals(words: Sequence[str], lines: Sequence[str], text: str) -> dict[str, float]:
    distinct: set[str] = set()
    repeated = 0
    for line in lines:
        repeated += len(line) if line in distinct else 0
        distinct.add(line)
    return {
        "fineweb_ended_lines": _signal_share(line.endswith(_SENTENCE_ENDS) for line in lines),
        "fineweb_short_lines": _signal_share(len(line) <= _MAX_SHORT_LINE_CHARS for line in lines),
        "fineweb_repeated_characters": _signal_ratio(repeated, len(text)),
        "fineweb_line_breaks": _signal_ratio(text.count("\n"), len(words)),
    }


def _are_in_ranges(signals: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> bool:
    return all(low <= signals[name] <= high for name, (low, high) in ranges.items())


def _signal_share(matches: Iterable[bool]) -> float:
    flags = list(matches)
    return _signal_ratio(sum(flags), len(flags))


def _signal_ratio(part: float, total: int) -> float:
    return part / total if total else 0.0
