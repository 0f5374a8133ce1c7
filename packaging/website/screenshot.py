"""Draw README's picture of a terminal: a real search, in documents of our own, without a network.

``python packaging/website/screenshot.py`` runs ``webseam`` at a terminal of 80 columns and writes
``docs/terminal.svg``. Nothing in it comes from elsewhere: no font, no script, no link.
"""

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "terminal.svg"
QUERY = "who answers when a key is refused"
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
    """Index the docs, search them, and draw what a person sees."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "you"
        shutil.copytree(ROOT / "docs", home / "docs", ignore=shutil.ignore_patterns("*.svg"))
        shown(home, "index", "add", "docs")
        screen = shown(home, "search", *QUERY.split(), "-n", "3", "--backend", "index")
    lines = [f"$ webseam search {QUERY} --backend index", "", *screen.splitlines()]
    PICTURE.write_text(drawn(lines), "utf-8")


def shown(home: Path, *words: str) -> str:
    """Run ``webseam`` at a terminal, and return all it wrote there."""
    ours, theirs = pty.openpty()
    environment = {
        "COLUMNS": str(_COLUMNS),
        "HOME": str(home),
        "LINES": str(_ROWS),
        "PATH": os.defpath,
        "TERM": "xterm-256color",
        "WEBSEAM_KEYLESS": "false",
    }
    process = subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "-m", "webseam.composition.cli", *words],
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
