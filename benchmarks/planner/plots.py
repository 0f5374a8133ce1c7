"""Figures as pictures: bars in SVG, drawn by hand so that nothing else must be installed."""

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from .run import Figures

_COLOURS = {
    "single": "#bbbbbb",
    "naive": "#d9a066",
    "LiteLLM": "#6699cc",
    "fan-out": "#99bb77",
    "webseam": "#cc4455",
}
_PANELS: tuple[tuple[str, str, Callable[[Figures], float]], ...] = (
    ("success", "share of calls that were answered", lambda one: one.success),
    ("p95", "95th percentile, seconds", lambda one: one.p95),
    ("p99", "99th percentile, seconds", lambda one: one.p99),
    ("paid", "calls that may be billed, for each answer", lambda one: one.paid),
    ("dead", "calls to a dead backend (log)", lambda one: math.log10(1 + one.dead)),
)
_BAR, _GAP, _HEIGHT, _LEFT, _TOP = 9, 16, 180, 50, 50


def draw(figures: Sequence[Figures], folder: Path) -> list[Path]:
    """Draw a picture for each measure: a group of bars for each scene, a bar for each planner."""
    folder.mkdir(parents=True, exist_ok=True)
    return [_picture(figures, panel, folder) for panel in _PANELS]


def _picture(
    figures: Sequence[Figures], panel: tuple[str, str, Callable[[Figures], float]], folder: Path
) -> Path:
    name, words, measure = panel
    scenes = list(dict.fromkeys(one.scene for one in figures))
    values = {(one.scene, one.planner): measure(one) for one in figures}
    most = max((value for value in values.values() if not math.isnan(value)), default=1.0) or 1.0
    group = _BAR * len(_COLOURS) + _GAP
    width = _LEFT + group * len(scenes) + 20
    parts = [f'<text x="{_LEFT}" y="20" font-size="14">{escape(words)}</text>', *_legend()]
    for place, scene in enumerate(scenes):
        left = _LEFT + place * group
        parts.append(
            f'<text transform="translate({left + 8},{_TOP + _HEIGHT + 12}) rotate(30)" font-size="10">'
            f"{escape(scene)}</text>"
        )
        for bar, (planner, colour) in enumerate(_COLOURS.items()):
            value = values.get((scene, planner), math.nan)
            tall = 0.0 if math.isnan(value) else value / most * _HEIGHT
            parts.append(
                f'<rect x="{left + bar * _BAR}" y="{_TOP + _HEIGHT - tall:.1f}" width="{_BAR - 1}"'
                f' height="{tall:.1f}" fill="{colour}"><title>{escape(scene)}, {planner}: {value:.3g}'
                f"</title></rect>"
            )
    for step in range(5):
        y, label = _TOP + _HEIGHT - step * _HEIGHT / 4, most * step / 4
        parts.append(f'<text x="4" y="{y + 3:.0f}" font-size="9">{label:.3g}</text>')
        parts.append(f'<line x1="{_LEFT - 4}" x2="{width}" y1="{y}" y2="{y}" stroke="#eeeeee"/>')
    path = folder / f"planner-{name}.svg"
    body = "\n".join(parts)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_TOP + _HEIGHT + 70}"'
        f' font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n'
    )
    return path


def _legend() -> list[str]:
    return [
        f'<rect x="{_LEFT + place * 85}" y="28" width="9" height="9" fill="{colour}"/>'
        f'<text x="{_LEFT + 12 + place * 85}" y="37" font-size="10">{planner}</text>'
        for place, (planner, colour) in enumerate(_COLOURS.items())
    ]
