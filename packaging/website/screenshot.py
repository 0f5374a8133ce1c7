"""Draw README's picture of a terminal: a web search, answered by a stand-in on this machine.

``python packaging/website/screenshot.py`` runs ``webseam`` at a terminal of 80 columns and writes
``docs/terminal.svg``. Nothing in it comes from elsewhere: no font, no script, no link.
"""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "terminal.svg"
QUERY = "tide tables brest"
_RESULTS = [
    {
        "title": "Tide tables for Brest: November 2026",
        "url": "https://tides.example/ports/brest/2026-11",
        "description": "High and low water at <strong>Brest</strong> for every day of the month, "
        "with heights and coefficients. <strong>Tide tables</strong> for 120 other ports.",
        "page_age": "2026-11-12T08:00:00",
    },
    {
        "title": "How to read a tide table",
        "url": "https://sailing.example.org/school/navigation/tides-and-the-rule-of-twelfths.html",
        "description": "Four numbers a day: two high waters and two low waters. The rule of "
        "twelfths fills in the hours between.",
        "page_age": "2025-03-03T00:00:00",
    },
    {
        "title": "Brest harbour: depths, locks and tides",
        "url": "https://harbours.example/brest",
        "description": "Depths at every quay of <strong>Brest</strong>, opening hours of the "
        "locks, and a <strong>tide</strong> gauge that is read every ten minutes.",
    },
]
_COLUMNS, _ROWS = 80, 40
_LETTER, _LINE, _EDGE = 8.4, 20, 20
# Links (OSC 8), which a picture cannot have, and every other escape that is no style.
_NO_STYLE = re.compile(r"\x1b\]8;;[^\x1b]*\x1b\\|\x1b\[[0-9;]*[A-Za-ln-z]|\r|[\u2068\u2069]")
_STYLED = re.compile(r"(?:\x1b\[([0-9;]*)m)?([^\x1b\n]*)")
_CLASSES = {"1": "bold", "2": "quiet", "35": "match", "36": "bar", "32": "good", "31": "bad"}
_STYLE = """
  svg { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
  rect { fill: #f6f8fa; stroke: #d0d7de }
  text { fill: #1f2328; white-space: pre }
  .bold { font-weight: 700 } .quiet { fill: #59636e } .match { fill: #8250df; font-weight: 700 }
  .bar { fill: #0969da } .good { fill: #1a7f37 } .bad { fill: #d1242f }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #3d444d }
    text { fill: #f0f6fc } .quiet { fill: #9198a1 } .match { fill: #d2a8ff }
    .bar { fill: #79c0ff } .good { fill: #7ee787 } .bad { fill: #ff7b72 }
  }
"""


def main() -> None:
    """Search a stand-in for Brave on this machine, and draw what a person sees."""
    with tempfile.TemporaryDirectory() as folder, HTTPServer(("127.0.0.1", 0), _Brave) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        base = {"BRAVE_API_BASE": f"http://127.0.0.1:{server.server_port}/res/v1"}
        shown(Path(folder), base, "search", "warm", "up")
        screen = shown(Path(folder), base, "search", *QUERY.split(), "-n", "3")
        server.shutdown()
    lines = [f"$ webseam search {QUERY} -n 3", "", *screen.splitlines()]
    PICTURE.write_text(drawn(lines), "utf-8")


class _Brave(BaseHTTPRequestHandler):
    """Answers every search with the same rows, as Brave writes them."""

    def do_GET(self) -> None:
        body = json.dumps({"web": {"results": _RESULTS}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing between the lines of the picture."""


def shown(home: Path, base: dict[str, str], *words: str) -> str:
    """Run ``webseam`` at a terminal, and return all it wrote there."""
    ours, theirs = pty.openpty()
    environment = {
        "COLUMNS": str(_COLUMNS),
        "HOME": str(home),
        "LINES": str(_ROWS),
        "PATH": os.defpath,
        "TERM": "xterm-256color",
        "BRAVE_API_KEY": "stand-in",
        **base,
    }
    process = subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "-m", "webseam.composition.doors.cli", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        cwd=home,
        env=environment,
    )
    os.close(theirs)
    written = b"".join(_read(ours))
    os.close(ours)
    if process.wait() != 0:
        sys.exit(f"webseam {' '.join(words)} ended with {process.returncode}")
    text = _NO_STYLE.sub("", written.decode())
    return text.replace(str(home), "~").strip("\n")


def _read(terminal: int) -> Iterator[bytes]:
    # The end of a terminal whose program has gone is an error on Linux.
    try:
        while chunk := os.read(terminal, 65536):
            yield chunk
    except OSError:
        return


def drawn(lines: list[str]) -> str:
    """Return lines with their styles as a picture, fit for light and dark pages."""
    width = round(_COLUMNS * _LETTER + 2 * _EDGE)
    height = len(lines) * _LINE + 2 * _EDGE
    rows = [
        f'<text x="{_EDGE}" y="{_EDGE + 15 + number * _LINE}">{_spans(line)}</text>'
        for number, line in enumerate(lines)
        if line.strip()
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>A search at a terminal: {escape(QUERY)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        *rows,
    ]
    return "\n".join([*parts, "</svg>\n"])


def _spans(line: str) -> str:
    pieces = ((numbers or "", text) for numbers, text in _STYLED.findall(line) if text)
    return "".join(_span(numbers, text) for numbers, text in pieces)


def _span(numbers: str, text: str) -> str:
    names = [_CLASSES[number] for number in numbers.split(";") if number in _CLASSES]
    kind = "match" if "match" in names else " ".join(names)
    return f'<tspan class="{kind}">{escape(text)}</tspan>' if kind else escape(text)


if __name__ == "__main__":
    main()
