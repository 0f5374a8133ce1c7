"""What the cells of a notebook gave: tables and words as such, what was printed in fences.

https://nbformat.readthedocs.io/en/latest/format_description.html (read 2026-11-17)
"""

import re
from typing import Final

import msgspec

from ..draft import Allowance
from ..hypertext import whole_markdown
from ..markdown import shown_markdown
from ..markup import fenced

_MOST_PRINTED: Final = 5000
# Tables are short; what is longer is mostly the program of a drawing.
_LONGEST_HTML: Final = 400_000
_MOST_HTML: Final = 2_000_000
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
        self._room = Allowance(_MOST_HTML)

    def shown(self, output: Output) -> str:
        """Return what a cell gave as markdown, empty for pictures and programs."""
        plain = _COLOURS.sub("", joined(output.text) or joined(output.data.get("text/plain")))
        is_text = plain.strip() != "" and _NO_TEXT.fullmatch(plain.strip()) is None
        words = joined(output.data.get("text/markdown")) or ("" if is_text else _formula(output))
        if words:
            return shown_markdown(words, self._base)
        rich = self._rich(output)
        if rich and (not is_text or _TABLE.search(rich)):
            return rich
        text = plain or _error(output)
        return _fenced(text) if text.strip() else ""

    def _rich(self, output: Output) -> str:
        html = joined(output.html) or joined(output.data.get("text/html"))
        if not html or len(html) > _LONGEST_HTML or self._room.is_spent:
            return ""
        self._room.spend(len(html))
        return whole_markdown(html, self._base).strip()


def _formula(output: Output) -> str:
    return joined(output.latex) or joined(output.data.get("text/latex"))


def _error(output: Output) -> str:
    name = joined(output.ename)
    return _COLOURS.sub("", f"{name}: {joined(output.evalue)}") if name else ""


def _fenced(text: str) -> str:
    return fenced(text if len(text) <= _MOST_PRINTED else f"{text[:_MOST_PRINTED]}…")


def joined(text: object) -> str:
    """Return a text that may be given by lines; nothing for anything else."""
    if isinstance(text, list):
        return "".join(str(line) for line in text)
    return text if isinstance(text, str) else ""
