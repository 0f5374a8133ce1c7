"""Figures as pictures: bars in SVG, drawn by hand so that nothing else must be installed."""

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import msgspec

from .run import Figures
from .scenes import scenes

_COLOURS = {
    "single": "#bbbbbb",
    "naive": "#d9a066",
    "LiteLLM": "#6699cc",
    "fan-out": "#99bb77",
    "webseam": "#cc4455",
}


class Panel(msgspec.Struct, frozen=True):
    """One picture: what it shows, of which scenes (by how their names begin)."""

    name: str
    words: str
    measure: Callable[[Figures], float]
    scenes: str = ""


_PANELS = (
    Panel("success", "share of calls that were answered", lambda one: one.success),
    Panel("p50", "median, seconds", lambda one: one.p50),
    Panel("p95", "95th percentile, seconds", lambda one: one.p95),
    Panel("p99", "99th percentile, seconds", lambda one: one.p99),
    Panel("paid", "calls that may be billed, for each answer", lambda one: one.paid),
    Panel("dead", "calls to a dead backend (log)", lambda one: math.log10(1 + one.dead)),
    Panel("recovery", "seconds to the first answer after it", lambda one: one.recovery, "outage"),
    Panel("overspend", "spent beyond the cap, percent", lambda one: 100 * one.overspend, "$"),
)
_BAR, _GAP, _HEIGHT, _LEFT, _TOP = 9, 16, 180, 50, 50


def draw(figures: Sequence[Figures], folder: Path) -> list[Path]:
    """Draw a picture for each measure: a group of bars for each scene, a bar for each planner."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = [[one for one in figures if _is_shown(one, panel)] for panel in _PANELS]
    return [_picture(own, panel, folder) for own, panel in zip(shown, _PANELS, strict=True) if own]


def _is_shown(one: Figures, panel: Panel) -> bool:
    """Tell whether a scene is in a picture: money has one of its own."""
    return one.scene.startswith(panel.scenes or tuple(scenes(1.0)))


def _picture(figures: Sequence[Figures], panel: Panel, folder: Path) -> Path:
    names = list(dict.fromkeys(one.scene for one in figures))
    values = {(one.scene, one.planner): panel.measure(one) for one in figures}
    most = max((value for value in values.values() if not math.isnan(value)), default=1.0) or 1.0
    group = _BAR * len(_COLOURS) + _GAP
    width = _LEFT + max(group * len(names), 400) + 20
    parts = [f'<text x="{_LEFT}" y="20" font-size="14">{escape(panel.words)}</text>', *_legend()]
    for place, scene in enumerate(names):
        start = _LEFT + place * group
        parts.append(
            f'<text transform="translate({start + 8},{_TOP + _HEIGHT + 12}) rotate(30)" font-size="10">'
            f"{escape(scene)}</text>"
        )
        for bar, (planner, colour) in enumerate(_COLOURS.items()):
            value = values.get((scene, planner), math.nan)
            tall = 0.0 if math.isnan(value) else value / most * _HEIGHT
            parts.append(
                f'<rect x="{start + bar * _BAR}" y="{_TOP + _HEIGHT - tall:.1f}" width="{_BAR - 1}"'
                f' height="{tall:.1f}" fill="{colour}"><title>{escape(scene)}, {planner}: {value:.3g}'
                f"</title></rect>"
            )
    for step in range(5):
        y, label = _TOP + _HEIGHT - step * _HEIGHT / 4, most * step / 4
        parts.append(f'<text x="4" y="{y + 3:.0f}" font-size="9">{label:.3g}</text>')
        parts.append(f'<line x1="{_LEFT - 4}" x2="{width}" y1="{y}" y2="{y}" stroke="#eeeeee"/>')
    path = folder / f"planner-{panel.name}.svg"
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
