"""Draw the stored figures of ``packaging/website/figures.json`` as bars.

``plots.py .envs/bench.json MACHINE`` first stores what ``make bench`` measured.
Each picture says what was measured, when and how; ``docs/measured.md`` shows them. Bars are drawn
by hand in SVG, in colours that read on light and dark, so that nothing else must be installed.
"""

import json
import sys
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIGURES = Path(__file__).with_name("figures.json")
_ROWS = 10  # the usual number of results
_WIDTH, _LABELS, _ROW, _TOP, _FOOT = 720, 230, 30, 62, 44
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#24292f}.soft{fill:#57606a;font-size:12px}"
    ".ours{fill:#0f766e}.peer{fill:#94a3b8}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9da7b3}"
    ".ours{fill:#2dd4bf}.peer{fill:#64748b}}"
)


def pictures() -> dict[str, str]:
    """Return every picture by the name of its file."""
    charts = json.loads(FIGURES.read_text("utf-8"))
    return {f"measured-{chart['name']}.svg": picture(chart) for chart in charts}


def picture(chart: dict[str, Any]) -> str:
    """Return one chart: a bar for each of those compared, the longest as wide as there is room."""
    bars = chart["bars"]
    longest = max(bar["value"] for bar in bars)
    height = _TOP + _ROW * len(bars) + _FOOT
    title = f"{chart['title']} ({chart['better']} is better)"
    values = "; ".join(f"{bar['label']} {bar['value']:g}" for bar in bars)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(title)}: {escape(values)}</title>",
        f"<style>{_STYLE}</style>",
        f'<text x="8" y="22" font-weight="600">{escape(title)}</text>',
        f'<text x="8" y="42" class="soft">{escape(chart["unit"])}</text>',
    ]
    for number, bar in enumerate(bars):
        top = _TOP + number * _ROW
        width = max(2.0, (_WIDTH - _LABELS - 90) * bar["value"] / longest)
        kind = "ours" if bar["label"].startswith("webseam") else "peer"
        place = f'x="{_LABELS}" y="{top + 2}" width="{width:.1f}" height="18"'
        parts += [
            f'<text x="8" y="{top + 15}">{escape(bar["label"])}</text>',
            f'<rect {place} rx="3" class="{kind}"/>',
            f'<text x="{_LABELS + width + 8:.1f}" y="{top + 16}">{bar["value"]:g}</text>',
        ]
    source = f"{chart['when']}, {chart['machine']}: {chart['command']}"
    parts += [f'<text x="8" y="{height - 14}" class="soft">{escape(source)}</text>', "</svg>\n"]
    return "\n".join(parts)


def bench_chart(result: dict[str, Any], machine: str, when: date) -> dict[str, Any]:
    """Return the chart of a run of ``make bench``: what a search costs, one at a time."""
    cells = [each for each in result["played"]["cells"] if each["at_once"] == 1]
    rows = min((each["rows"] for each in cells), key=lambda count: abs(count - _ROWS))
    costs = {each["client"]: each["cpu_microseconds"] for each in cells if each["rows"] == rows}
    return {
        "name": "bench",
        "title": "A search over loopback: what the client costs",
        "unit": f"microseconds of processor time a call, {rows} rows, median",
        "better": "less",
        "when": f"{when:%B %Y}",
        "machine": machine,
        "command": "make bench",
        "bars": [
            {"label": name, "value": round(value)}
            for name, value in sorted(costs.items(), key=lambda pair: pair[0] != "webseam")
        ],
    }


def store(result: Path, machine: str) -> None:
    """Put the figures of a run in the place of those that are stored."""
    chart = bench_chart(json.loads(result.read_text("utf-8")), machine, datetime.now(UTC).date())
    charts = json.loads(FIGURES.read_text("utf-8"))
    others = [each for each in charts if each["name"] != chart["name"]]
    FIGURES.write_text(json.dumps([*others, chart], indent=2, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Store a run where one is named, and write every picture anew."""
    if len(sys.argv) > 1:
        store(Path(sys.argv[1]), " ".join(sys.argv[2:]) or "this machine")
    for name, text in pictures().items():
        (ROOT / "docs" / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
