"""Formulas of Office (OMML), and those in MathML of other formats, as LaTeX.

ECMA-376-1, 22.1 (read 2026-11-16).
"""

from collections.abc import Callable, Iterator
from typing import Final

from ...maths.latex import (
    ACCENTS,
    FUNCTIONS,
    OPERATORS,
    brace_base,
    escape_text,
    latex_fences,
    latex_fraction,
    latex_lines,
    latex_matrix,
    latex_root,
    latex_scripts,
)
from ...maths.mathml import TOKENS, FormulaPart, mathml_to_latex
from .xml_elements import XmlNode

_GROUPS: Final = {"⏞": "overbrace", "⏟": "underbrace", "←": "overleftarrow", "→": "overrightarrow"}


def omml_formula(node: XmlNode) -> str:
    """Return a formula between dollars, two where it stands on a line of its own."""
    latex = " ".join(_latex(node).split())
    dollars = "$$" if node.name == "oMathPara" else "$"
    return f"{dollars}{latex}{dollars}" if latex else ""


def mathml_formula(node: XmlNode) -> str:
    """Return a formula in MathML as LaTeX, or its words where it is too large for that."""
    return mathml_to_latex(node, _seen) or " ".join(node.words().split())


def _seen(node: XmlNode) -> tuple[FormulaPart, list[XmlNode]]:
    text = node.words() if node.name in TOKENS else ""
    return FormulaPart(node.name, node.attributes, text, []), list(node.nodes())


def _latex(node: XmlNode) -> str:
    """Return what is inside an element, one after the other."""
    return "".join(_WRITTEN.get(child.name, _latex)(child) for child in _content(node))


def _content(node: XmlNode) -> Iterator[XmlNode]:
    # What ends so says how something looks, and is not shown.
    return (child for child in node.nodes() if not child.name.endswith("Pr"))


def _inside(node: XmlNode, name: str = "e") -> str:
    found = node.first(name)
    return _latex(found) if found else ""


def _property(node: XmlNode, name: str, default: str) -> str:
    """Return what a formula says of itself; where it says nothing, the standard does."""
    found = node.first(f"{node.name}Pr", name)
    return found.get("val") if found else default


def _is_on(node: XmlNode, name: str) -> bool:
    found = node.first(f"{node.name}Pr", name)
    return found is not None and found.get("val") not in ("0", "off", "false")


def _run(node: XmlNode) -> str:
    text = "".join(each.words() for each in node.nodes("t"))
    plain = escape_text(text)
    return f"\\text{{{plain}}}" if _is_on(node, "nor") and plain.strip() else plain


def _accent(node: XmlNode) -> str:
    sign = _property(node, "chr", "\u0302")
    return f"\\{ACCENTS.get(sign, 'hat')}{{{_inside(node)}}}"


def _bar(node: XmlNode) -> str:
    name = "overline" if _property(node, "pos", "bot") == "top" else "underline"
    return f"\\{name}{{{_inside(node)}}}"


def _fenced(node: XmlNode) -> str:
    begin, part, end = (
        _property(node, name, default)
        for name, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    inner = escape_text(part).join(_latex(each) for each in node.nodes("e"))
    return latex_fences(begin, inner, end)


def _fraction(node: XmlNode) -> str:
    above, below = _inside(node, "num"), _inside(node, "den")
    kind = _property(node, "type", "bar")
    return (
        f"{above}/{below}" if kind == "lin" else latex_fraction(above, below, line=kind != "noBar")
    )


def _function(node: XmlNode) -> str:
    name = _inside(node, "fName").strip()
    first = name.partition("_")[0]
    is_plain = first.isalpha() and first.isascii() and len(first) > 1
    known = f"\\{name}" if first in FUNCTIONS else f"\\operatorname{{{first}}}{name[len(first) :]}"
    return f"{known if is_plain else name}{{{_inside(node)}}}"


def _group(node: XmlNode) -> str:
    name = _GROUPS.get(_property(node, "chr", "⏟"))
    return f"\\{name}{{{_inside(node)}}}" if name else _inside(node)


def _limit(node: XmlNode) -> str:
    mark = "_" if node.name == "limLow" else "^"
    return f"{_inside(node).strip()}{mark}{{{_inside(node, 'lim')}}}"


def _rows(node: XmlNode) -> str:
    """Return the rows of a matrix, or of equations one below the other."""
    if node.name == "m":
        return latex_matrix(map(_latex, row.nodes("e")) for row in node.nodes("mr"))
    return latex_lines(_latex(row) for row in node.nodes("e"))


def _sum(node: XmlNode) -> str:
    sign = _property(node, "chr", "∫")
    return f"{OPERATORS.get(sign, sign)}{_scripts(node)}{{{_inside(node)}}}"


def _scripts(node: XmlNode) -> str:
    return latex_scripts(_inside(node, "sub"), _inside(node, "sup"))


def _root(node: XmlNode) -> str:
    return latex_root(_inside(node), "" if _is_on(node, "degHide") else _inside(node, "deg"))


def _scripted(node: XmlNode) -> str:
    return f"{brace_base(_inside(node))}{_scripts(node)}"


def _scripted_before(node: XmlNode) -> str:
    return f"{{}}{_scripts(node)}{_inside(node)}"


def _boxed(node: XmlNode) -> str:
    return f"\\boxed{{{_inside(node)}}}"


_WRITTEN: Final[dict[str, Callable[[XmlNode], str]]] = {
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
