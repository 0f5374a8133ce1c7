"""Write the parts of a formula as LaTeX.

Greek letters, arrows and relations stay Unicode characters, which are as readable as commands.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

ACCENTS: Final = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar",
    "\u0305": "overline", "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot",
    "\u030a": "mathring",
    "\u030c": "check", "\u0332": "underline", "\u203e": "overline", "\u20d6": "overleftarrow",
    "\u20d7": "vec", "\u20db": "dddot", "\u20e1": "overleftrightarrow",
}  # fmt: skip
OPERATORS: Final = {
    "∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint",
    "∮": r"\oint",
    "\u22c3": r"\bigcup", "\u22c2": r"\bigcap", "\u22c1": r"\bigvee", "\u22c0": r"\bigwedge",
}  # fmt: skip
_FUNCTION_NAMES: Final = (
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log ln lg lim limsup "
    "liminf max min sup inf det dim deg gcd hom ker arg Pr"
)
FUNCTIONS: Final = frozenset(_FUNCTION_NAMES.split())
FENCES: Final = {"{": r"\{", "}": r"\}", "‖": r"\|", "": "."}
_ESCAPES: Final = str.maketrans(
    {
        "\\": r"\backslash ",
        "~": r"\sim ",
        "^": r"\hat{}",
        **{sign: f"\\{sign}" for sign in "{}%#$&_"},
    }
)
_MATH_LETTER_RANGE: Final = ("\U0001d400", "\U0001d7ff")
_ROW_BREAK: Final = r" \\ "
_COMMAND_PATTERN: Final = re.compile(r"\\[A-Za-z]+\Z")


def escape_latex_text(text: str) -> str:
    r"""Return plain text escaped for use inside a formula.

    >>> print(escape_latex_text("\U0001d44e_1 50%"))
    a\_1 50\%
    """
    return "".join(map(_plain_math_letter, text)).translate(_ESCAPES)


def _plain_math_letter(char: str) -> str:
    """Return a mathematical italic or bold letter as the plain letter."""
    first, last = _MATH_LETTER_RANGE
    return unicodedata.normalize("NFKC", char) if first <= char <= last else char


def join_latex(pieces: Iterable[str]) -> str:
    r"""Return the pieces joined; a space separates a command from a letter after it.

    >>> print(join_latex([r"\sin", "x", "+", "1"]))
    \sin x+1
    """
    latex = ""
    for piece in pieces:
        needs_space = piece[:1].isalpha() and _COMMAND_PATTERN.search(latex[-30:])
        latex += f" {piece}" if needs_space else piece
    return latex


def latex_matrix(rows: Iterable[Iterable[str]]) -> str:
    """Return rows of cells as a LaTeX matrix."""
    lines = (" & ".join(cells) for cells in rows)
    return f"\\begin{{matrix}} {_ROW_BREAK.join(lines)} \\end{{matrix}}"


def latex_lines(rows: Iterable[str]) -> str:
    """Return equations stacked in a LaTeX array."""
    return f"\\begin{{array}}{{l}} {_ROW_BREAK.join(rows)} \\end{{array}}"


def latex_scripts(below: str, above: str) -> str:
    """Return a subscript and a superscript; a blank one is left out."""
    return f"{f'_{{{below}}}' if below else ''}{f'^{{{above}}}' if above else ''}"


def brace_base(base: str) -> str:
    """Return a base that scripts attach to as one unit: a letter, a command or a braced group."""
    return base if len(base) <= 1 or base.startswith("\\") else f"{{{base}}}"


def latex_fraction(above: str, below: str, *, line: bool = True) -> str:
    """Return a fraction, or two stacked terms where ``line`` is false."""
    ruleless = "" if line else "genfrac{}{}{0pt}{}"
    return f"\\{ruleless or 'frac'}{{{above}}}{{{below}}}"


def latex_root(inside: str, degree: str = "") -> str:
    """Return a root; a blank degree is a square root."""
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{inside}}}"


def latex_fences(opening: str, inside: str, closing: str) -> str:
    """Return a term between fences that grow with it; a blank fence becomes a dot."""
    return f"\\left{FENCES.get(opening, opening)} {inside} \\right{FENCES.get(closing, closing)} "
