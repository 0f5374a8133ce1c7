"""Formulas of Office (OMML), and those in MathML of other formats, as LaTeX.

ECMA-376-1, 22.1 (read 2026-11-16).
"""

from collections.abc import Callable, Iterator
from typing import Final

from ...maths.latex import (
    ACCENTS,
    FUNCTIONS,
    OPERATORS,
    braced,
    fenced,
    fraction,
    lines,
    matrix,
    root,
    scripts,
    spelled,
)
from ...maths.mathml import TOKENS, Part, drawn
from .xml import Node

_GROUPS: Final = {"⏞": "overbrace", "⏟": "underbrace", "←": "overleftarrow", "→": "overrightarrow"}


def formula(node: Node) -> str:
    """Return a formula between dollars, two where it stands on a line of its own."""
    latex = " ".join(_latex(node).split())
    dollars = "$$" if node.name == "oMathPara" else "$"
    return f"{dollars}{latex}{dollars}" if latex else ""


def mathml(node: Node) -> str:
    """Return a formula in MathML as LaTeX, or its words where it is too large for that."""
    return drawn(node, _seen) or " ".join(node.words().split())


def _seen(node: Node) -> tuple[Part, list[Node]]:
    text = node.words() if node.name in TOKENS else ""
    return Part(node.name, node.attributes, text, []), list(node.nodes())


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
    plain = spelled(text)
    return f"\\text{{{plain}}}" if _is_on(node, "nor") and plain.strip() else plain


def _accent(node: Node) -> str:
    sign = _property(node, "chr", "\u0302")
    return f"\\{ACCENTS.get(sign, 'hat')}{{{_inside(node)}}}"


def _bar(node: Node) -> str:
    name = "overline" if _property(node, "pos", "bot") == "top" else "underline"
    return f"\\{name}{{{_inside(node)}}}"


def _fenced(node: Node) -> str:
    begin, part, end = (
        _property(node, name, default)
        for name, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    inner = spelled(part).join(_latex(each) for each in node.nodes("e"))
    return fenced(begin, inner, end)


def _fraction(node: Node) -> str:
    above, below = _inside(node, "num"), _inside(node, "den")
    kind = _property(node, "type", "bar")
    return f"{above}/{below}" if kind == "lin" else fraction(above, below, line=kind != "noBar")


def _function(node: Node) -> str:
    name = _inside(node, "fName").strip()
    first = name.partition("_")[0]
    is_plain = first.isalpha() and first.isascii() and len(first) > 1
    known = f"\\{name}" if first in FUNCTIONS else f"\\operatorname{{{first}}}{name[len(first) :]}"
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
        return matrix(map(_latex, row.nodes("e")) for row in node.nodes("mr"))
    return lines(_latex(row) for row in node.nodes("e"))


def _sum(node: Node) -> str:
    sign = _property(node, "chr", "∫")
    return f"{OPERATORS.get(sign, sign)}{_scripts(node)}{{{_inside(node)}}}"


def _scripts(node: Node) -> str:
    return scripts(_inside(node, "sub"), _inside(node, "sup"))


def _root(node: Node) -> str:
    return root(_inside(node), "" if _is_on(node, "degHide") else _inside(node, "deg"))


def _scripted(node: Node) -> str:
    return f"{braced(_inside(node))}{_scripts(node)}"


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
