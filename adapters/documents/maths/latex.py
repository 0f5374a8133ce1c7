"""What LaTeX calls the signs of a formula.

Greek letters stay letters, and so do arrows and relations: they are read as well as their names
would be.
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
_ESCAPED: Final = str.maketrans(
    {
        "\\": r"\backslash ",
        "~": r"\sim ",
        "^": r"\hat{}",
        **{sign: f"\\{sign}" for sign in "{}%#$&_"},
    }
)
_MATHEMATICAL: Final = ("\U0001d400", "\U0001d7ff")
_NEXT_ROW: Final = r" \\ "
_COMMAND: Final = re.compile(r"\\[A-Za-z]+\Z")


def escape_text(text: str) -> str:
    r"""Return plain text inside of a formula.

    >>> print(escape_text("\U0001d44e_1 50%"))
    a\_1 50\%
    """
    return "".join(map(_letter, text)).translate(_ESCAPED)


def _letter(sign: str) -> str:
    """Return a slanted or bold letter of mathematics as the letter it is."""
    first, last = _MATHEMATICAL
    return unicodedata.normalize("NFKC", sign) if first <= sign <= last else sign


def join_latex(pieces: Iterable[str]) -> str:
    r"""Return pieces one behind the other; a command ends before a letter.

    >>> print(join_latex([r"\sin", "x", "+", "1"]))
    \sin x+1
    """
    whole = ""
    for piece in pieces:
        apart = piece[:1].isalpha() and _COMMAND.search(whole[-30:])
        whole += f" {piece}" if apart else piece
    return whole


def latex_matrix(rows: Iterable[Iterable[str]]) -> str:
    """Return rows of cells, one below the other."""
    lines = (" & ".join(cells) for cells in rows)
    return f"\\begin{{matrix}} {_NEXT_ROW.join(lines)} \\end{{matrix}}"


def latex_lines(rows: Iterable[str]) -> str:
    """Return equations one below the other."""
    return f"\\begin{{array}}{{l}} {_NEXT_ROW.join(rows)} \\end{{array}}"


def latex_scripts(below: str, above: str) -> str:
    """Return what stands at the foot and at the head of something."""
    return f"{f'_{{{below}}}' if below else ''}{f'^{{{above}}}' if above else ''}"


def brace_base(base: str) -> str:
    """Return what carries scripts as one: a letter, a command, or a group."""
    return base if len(base) <= 1 or base.startswith("\\") else f"{{{base}}}"


def latex_fraction(above: str, below: str, *, line: bool = True) -> str:
    """Return a fraction, or two terms one above the other without a line."""
    bare = "" if line else "genfrac{}{}{0pt}{}"
    return f"\\{bare or 'frac'}{{{above}}}{{{below}}}"


def latex_root(inside: str, degree: str = "") -> str:
    """Return a root."""
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{inside}}}"


def latex_fences(opening: str, inside: str, closing: str) -> str:
    """Return what stands between two fences that grow with it; none is a dot."""
    return f"\\left{FENCES.get(opening, opening)} {inside} \\right{FENCES.get(closing, closing)} "
