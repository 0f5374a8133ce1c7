"""What the cells of a notebook gave: tables and words as such, what was printed in fences.

https://nbformat.readthedocs.io/en/latest/format_description.html (read 2026-11-17)
"""

import re
from typing import Final

import msgspec

from ..draft import StepAllowance
from ..embedded_html import whole_markdown
from ..markdown import shown_markdown
from ..markdown_writing import code_block

_MAX_PRINTED_CHARS: Final = 5000
# Tables are short; what is longer is mostly the program of a drawing.
_MAX_OUTPUT_HTML_CHARS: Final = 400_000
_MAX_TOTAL_HTML_CHARS: Final = 2_000_000
# How Python shows what only a browser can: <IPython.core.display.HTML object>.
_NO_TEXT: Final = re.compile(r"<[\w. ]{1,200} object(?: at 0x[0-9a-f]+)?>")
# The colours of a terminal.
_COLOURS: Final = re.compile(r"\x1b\[[0-9;:]{0,40}[A-Za-z]")
_TABLE: Final = re.compile(r"^\| --- \|", re.MULTILINE)


class Output(msgspec.Struct, frozen=True):
    """What a cell gave; ``ename`` and ``evalue`` are of an error, ``html`` is of version 3."""

    text: object = ""
    data: dict[str, object] = msgspec.field(default_factory=dict)
    html: object = ""
    latex: object = ""
    ename: object = ""
    evalue: object = ""


class Outputs:
    """Shows the outputs of a notebook, in HTML as many as there is room for."""

    def __init__(self, base: str) -> None:
        """Have shown none; ``base`` is where links begin."""
        self._base = base
        self._room = StepAllowance(_MAX_TOTAL_HTML_CHARS)

    def shown(self, output: Output) -> str:
        """Return what a cell gave as markdown, empty for pictures and programs."""
        plain = _COLOURS.sub(
            "", join_lines(output.text) or join_lines(output.data.get("text/plain"))
        )
        is_text = plain.strip() != "" and _NO_TEXT.fullmatch(plain.strip()) is None
        words = join_lines(output.data.get("text/markdown")) or (
            "" if is_text else _formula(output)
        )
        if words:
            return shown_markdown(words, self._base)
        rich = self._rich(output)
        if rich and (not is_text or _TABLE.search(rich)):
            return rich
        text = plain or _error(output)
        return _fenced(text) if text.strip() else ""

    def _rich(self, output: Output) -> str:
        html = join_lines(output.html) or join_lines(output.data.get("text/html"))
        if not html or len(html) > _MAX_OUTPUT_HTML_CHARS or self._room.is_spent:
            return ""
        self._room.spend(len(html))
        return whole_markdown(html, self._base).strip()


def _formula(output: Output) -> str:
    return join_lines(output.latex) or join_lines(output.data.get("text/latex"))


def _error(output: Output) -> str:
    name = join_lines(output.ename)
    return _COLOURS.sub("", f"{name}: {join_lines(output.evalue)}") if name else ""


def _fenced(text: str) -> str:
    return code_block(text if len(text) <= _MAX_PRINTED_CHARS else f"{text[:_MAX_PRINTED_CHARS]}…")


def join_lines(text: object) -> str:
    """Return a text that may be given by lines; nothing for anything else."""
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""
