"""Formulas of Office (OMML) as LaTeX, which is how markdown writes them.

ECMA-376-1, 22.1 (read 2026-11-16). Greek letters stay letters: they are read as well as
their names would be.
"""

import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from .xml import Node

_ESCAPED: Final = str.maketrans(
    {
        "\\": r"\backslash ",
        "~": r"\sim ",
        "^": r"\hat{}",
        **{sign: f"\\{sign}" for sign in "{}%#$&_"},
    }
)
_ACCENTS: Final = {
    "\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar",
    "\u0305": "overline", "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot",
    "\u030a": "mathring",
    "\u030c": "check", "\u0332": "underline", "\u203e": "overline", "\u20d6": "overleftarrow",
    "\u20d7": "vec", "\u20db": "dddot", "\u20e1": "overleftrightarrow",
}  # fmt: skip
_OPERATORS: Final = {
    "∑": r"\sum", "∏": r"\prod", "∐": r"\coprod", "∫": r"\int", "∬": r"\iint", "∭": r"\iiint",
    "∮": r"\oint",
    "\u22c3": r"\bigcup", "\u22c2": r"\bigcap", "\u22c1": r"\bigvee", "\u22c0": r"\bigwedge",
}  # fmt: skip
_FUNCTIONS: Final = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "coth",
        "exp",
        "log",
        "ln",
        "lg",
        "lim",
        "limsup",
        "liminf",
        "max",
        "min",
        "sup",
        "inf",
        "det",
        "dim",
        "deg",
        "gcd",
        "hom",
        "ker",
        "arg",
        "Pr",
    ]
)
_GROUPS: Final = {"⏞": "overbrace", "⏟": "underbrace", "←": "overleftarrow", "→": "overrightarrow"}
_FENCES: Final = {"{": r"\{", "}": r"\}", "‖": r"\|", "": "."}
_NEXT_ROW: Final = r" \\ "
_MATHEMATICAL: Final = ("\U0001d400", "\U0001d7ff")


def formula(node: Node) -> str:
    """Return a formula between dollars, two where it stands on a line of its own."""
    latex = " ".join(_latex(node).split())
    dollars = "$$" if node.name == "oMathPara" else "$"
    return f"{dollars}{latex}{dollars}" if latex else ""


def _latex(node: Node) -> str:
    """Return what is inside an element, one after the other."""
    return "".join(_WRITTEN.get(child.name, _latex)(child) for child in _content(node))


def _content(node: Node) -> Iterator[Node]:
    # What ends so says how something looks, and is not shown.
    return (child for child in node.nodes() if not child.name.endswith("Pr"))


def _inside(node: Node, name: str = "e") -> str:
    found = node.first(name)
    return _latex(found) if found else ""


def _property(node: Node, name: str, default: str) -> str:
    """Return what a formula says of itself; where it says nothing, the standard does."""
    found = node.first(f"{node.name}Pr", name)
    return found.get("val") if found else default


def _is_on(node: Node, name: str) -> bool:
    found = node.first(f"{node.name}Pr", name)
    return found is not None and found.get("val") not in ("0", "off", "false")


def _run(node: Node) -> str:
    text = "".join(each.words() for each in node.nodes("t"))
    plain = "".join(map(_letter, text)).translate(_ESCAPED)
    return f"\\text{{{plain}}}" if _is_on(node, "nor") and plain.strip() else plain


def _letter(sign: str) -> str:
    """Return a slanted or bold letter of mathematics as the letter it is."""
    first, last = _MATHEMATICAL
    return unicodedata.normalize("NFKC", sign) if first <= sign <= last else sign


def _accent(node: Node) -> str:
    sign = _property(node, "chr", "\u0302")
    return f"\\{_ACCENTS.get(sign, 'hat')}{{{_inside(node)}}}"


def _bar(node: Node) -> str:
    name = "overline" if _property(node, "pos", "bot") == "top" else "underline"
    return f"\\{name}{{{_inside(node)}}}"


def _fenced(node: Node) -> str:
    begin, part, end = (
        _property(node, name, default)
        for name, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    inner = part.translate(_ESCAPED).join(_latex(each) for each in node.nodes("e"))
    return f"\\left{_FENCES.get(begin, begin)} {inner} \\right{_FENCES.get(end, end)} "


def _fraction(node: Node) -> str:
    above, below = _inside(node, "num"), _inside(node, "den")
    match _property(node, "type", "bar"):
        case "lin":
            return f"{above}/{below}"
        case "noBar":
            return f"\\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}"
        case _:
            return f"\\frac{{{above}}}{{{below}}}"


def _function(node: Node) -> str:
    name = _inside(node, "fName").strip()
    first = name.partition("_")[0]
    is_plain = first.isalpha() and first.isascii() and len(first) > 1
    known = f"\\{name}" if first in _FUNCTIONS else f"\\operatorname{{{first}}}{name[len(first) :]}"
    return f"{known if is_plain else name}{{{_inside(node)}}}"


def _group(node: Node) -> str:
    name = _GROUPS.get(_property(node, "chr", "⏟"))
    return f"\\{name}{{{_inside(node)}}}" if name else _inside(node)


def _limit(node: Node) -> str:
    mark = "_" if node.name == "limLow" else "^"
    return f"{_inside(node).strip()}{mark}{{{_inside(node, 'lim')}}}"


def _rows(node: Node) -> str:
    """Return the rows of a matrix, or of equations one below the other."""
    if node.name == "m":
        rows = (" & ".join(map(_latex, row.nodes("e"))) for row in node.nodes("mr"))
        return f"\\begin{{matrix}} {_NEXT_ROW.join(rows)} \\end{{matrix}}"
    rows = (_latex(row) for row in node.nodes("e"))
    return f"\\begin{{array}}{{l}} {_NEXT_ROW.join(rows)} \\end{{array}}"


def _sum(node: Node) -> str:
    sign = _property(node, "chr", "∫")
    return f"{_OPERATORS.get(sign, sign)}{_scripts(node)}{{{_inside(node)}}}"


def _scripts(node: Node) -> str:
    below, above = _inside(node, "sub"), _inside(node, "sup")
    return f"{f'_{{{below}}}' if below else ''}{f'^{{{above}}}' if above else ''}"


def _root(node: Node) -> str:
    degree = "" if _is_on(node, "degHide") else _inside(node, "deg")
    return f"\\sqrt{f'[{degree}]' if degree else ''}{{{_inside(node)}}}"


def _scripted(node: Node) -> str:
    base = _inside(node)
    braced = base if len(base) <= 1 or base.startswith("\\") else f"{{{base}}}"
    return f"{braced}{_scripts(node)}"


def _scripted_before(node: Node) -> str:
    return f"{{}}{_scripts(node)}{_inside(node)}"


def _boxed(node: Node) -> str:
    return f"\\boxed{{{_inside(node)}}}"


_WRITTEN: Final[dict[str, Callable[[Node], str]]] = {
    "r": _run,
    "acc": _accent,
    "bar": _bar,
    "borderBox": _boxed,
    "d": _fenced,
    "eqArr": _rows,
    "f": _fraction,
    "func": _function,
    "groupChr": _group,
    "limLow": _limit,
    "limUpp": _limit,
    "m": _rows,
    "nary": _sum,
    "rad": _root,
    "sPre": _scripted_before,
    "sSub": _scripted,
    "sSubSup": _scripted,
    "sSup": _scripted,
}
