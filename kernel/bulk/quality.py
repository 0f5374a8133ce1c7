"""Signals of quality by their names: those of Gopher and of FineWeb. They mark; nothing is dropped.

Gopher: https://arxiv.org/abs/2112.11446, appendix A.1.1; FineWeb: https://arxiv.org/abs/2406.17557,
section 3.6 (both read 2026-11-15). Words are what blanks separate, in every language.
"""

from collections.abc import Mapping, Sequence
from typing import Final

_STOP_WORDS: Final = frozenset({"the", "be", "to", "of", "and", "that", "have", "with"})
_BULLETS: Final = ("•", "-", "*", "‣", "◦")
# Also the full width marks of Chinese and Japanese, and quotation marks that close.
_ENDS: Final = (".", "!", "?", '"', "'", "\u3002", "\uff01", "\uff1f", "\u2026", "\u201d", "\u2019")
_MAX_SHORT_LINE_CHARS: Final = 30
_ANY: Final = float("inf")
# From and to, both included.
_GOPHER_PASSES: Final = {
    "gopher_words": (50, 100_000),
    "gopher_word_length": (3, 10),
    "gopher_symbols": (0, 0.1),
    "gopher_bullet_lines": (0, 0.9),
    "gopher_ellipsis_lines": (0, 0.3),
    "gopher_alphabetic_words": (0.8, 1),
    "gopher_stop_words": (2, _ANY),
}
_FINEWEB_PASSES: Final = {
    "fineweb_ended_lines": (0.12, 1),
    "fineweb_short_lines": (0, 0.67),
    "fineweb_repeated_characters": (0, 0.1),
    "fineweb_line_breaks": (0, 0.3),
}


def quality_signals(text: str) -> dict[str, object]:
    """Return the signals of a text, and whether it passes the thresholds of each paper."""
    words = text.split()
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    signals: dict[str, float] = {**_gopher(words, lines, text), **_fineweb(words, lines, text)}
    rounded: dict[str, object] = {name: round(value, 4) for name, value in signals.items()}
    return {
        **rounded,
        "gopher_passes": _pass(signals, _GOPHER_PASSES),
        "fineweb_passes": _pass(signals, _FINEWEB_PASSES),
    }


def _gopher(words: Sequence[str], lines: Sequence[str], text: str) -> dict[str, float]:
    count = len(words)
    return {
        "gopher_words": count,
        "gopher_word_length": _share(sum(map(len, words)), count),
        "gopher_symbols": _share(text.count("#") + text.count("...") + text.count("…"), count),
        "gopher_bullet_lines": _share(sum(line.startswith(_BULLETS) for line in lines), len(lines)),
        "gopher_ellipsis_lines": _share(
            sum(line.endswith(("...", "…")) for line in lines), len(lines)
        ),
        "gopher_alphabetic_words": _share(
            sum(any(map(str.isalpha, word)) for word in words), count
        ),
        "gopher_stop_words": len(_STOP_WORDS & {word.lower() for word in words}),
    }


def _fineweb(words: Sequence[str], lines: Sequence[str], text: str) -> dict[str, float]:
    seen: set[str] = set()
    repeated = 0
    for line in lines:
        repeated += len(line) if line in seen else 0
        seen.add(line)
    return {
        "fineweb_ended_lines": _share(sum(line.endswith(_ENDS) for line in lines), len(lines)),
        "fineweb_short_lines": _share(
            sum(len(line) <= _MAX_SHORT_LINE_CHARS for line in lines), len(lines)
        ),
        "fineweb_repeated_characters": _share(repeated, len(text)),
        "fineweb_line_breaks": _share(text.count("\n"), len(words)),
    }


def _pass(signals: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]) -> bool:
    return all(low <= signals[name] <= high for name, (low, high) in ranges.items())


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
