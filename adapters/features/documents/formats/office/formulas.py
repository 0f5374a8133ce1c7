"""Formulas of Office (OMML), and those in MathML of other formats, as LaTeX.

ECMA-376-1, 22.1 (read 2026-11-16).
"""

from collections.abc import Callable
from typing import Final

from webseam.adapters.reader import latex
from webseam.adapters.reader.mathml import MATHML_TOKENS, FormulaPart, mathml_to_latex

from .xml_elements import XmlNode

_GROUP_COMMANDS: Final = {
    "⏞": "overbrace", "⏟": "underbrace", "←": "overleftarrow", "→": "overrightarrow",
}  # fmt: skip


def omml_formula(node: XmlNode) -> str:
    """Return a formula between dollars, two for a formula on its own line."""
    formula = " ".join(_omml_latex(node).split())
    dollars = "$$" if node.name == "oMathPara" else "$"
    return f"{dollars}{formula}{dollars}" if formula else ""


def mathml_formula(node: XmlNode) -> str:
    """Return a MathML formula as LaTeX, or its text where it is too large."""
    return mathml_to_latex(node, _mathml_part) or " ".join(node.inner_text().split())


def _mathml_part(node: XmlNode) -> tuple[FormulaPart, list[XmlNode]]:
    text = node.inner_text() if node.name in MATHML_TOKENS else ""
    return FormulaPart(node.name, node.attributes, text, []), list(node.elements())


def _omml_latex(node: XmlNode) -> str:
    # Elements with this ending are properties.
    children = (child for child in node.elements() if not child.name.endswith("Pr"))
    return "".join(_OMML_WRITERS.get(child.name, _omml_latex)(child) for child in children)


def _child_latex(node: XmlNode, name: str = "e") -> str:
    child = node.find(name)
    return _omml_latex(child) if child else ""


def _omml_property(node: XmlNode, name: str, default: str) -> str:
    """Return a property of a formula, or the default of the standard."""
    child = node.find(f"{node.name}Pr", name)
    return child.attribute("val") if child else default


def _has_omml_flag(node: XmlNode, name: str) -> bool:
    child = node.find(f"{node.name}Pr", name)
    return child is not None and child.attribute("val") not in ("0", "off", "false")


def _omml_run(node: XmlNode) -> str:
    text = "".join(node.inner_text() for node in node.elements("t"))
    plain = latex.escape_latex_text(text)
    return f"\\text{{{plain}}}" if _has_omml_flag(node, "nor") and plain.strip() else plain


def _omml_accent(node: XmlNode) -> str:
    sign = _omml_property(node, "chr", "\u0302")
    return f"\\{latex.ACCENTS.get(sign, 'hat')}{{{_child_latex(node)}}}"


def _omml_bar(node: XmlNode) -> str:
    name = "overline" if _omml_property(node, "pos", "bot") == "top" else "underline"
    return f"\\{name}{{{_child_latex(node)}}}"


def _omml_delimiters(node: XmlNode) -> str:
    begin, part, end = (
        _omml_property(node, name, default)
        for name, default in (("begChr", "("), ("sepChr", "|"), ("endChr", ")"))
    )
    inner = latex.escape_latex_text(part).join(map(_omml_latex, node.elements("e")))
    return latex.latex_fences(begin, inner, end)


def _omml_fraction(node: XmlNode) -> str:
    above, below = _child_latex(node, "num"), _child_latex(node, "den")
    kind = _omml_property(node, "type", "bar")
    if kind == "lin":
        return f"{above}/{below}"
    return latex.latex_fraction(above, below, line=kind != "noBar")


def _omml_function(node: XmlNode) -> str:
    name = _child_latex(node, "fName").strip()
    first = name.partition("_")[0]
    is_plain = first.isalpha() and first.isascii() and len(first) > 1
    operator = f"operatorname{{{first}}}{name[len(first) :]}"
    command = f"\\{name if first in latex.FUNCTIONS else operator}"
    return f"{command if is_plain else name}{{{_child_latex(node)}}}"


def _omml_group(node: XmlNode) -> str:
    name = _GROUP_COMMANDS.get(_omml_property(node, "chr", "⏟"))
    return f"\\{name}{{{_child_latex(node)}}}" if name else _child_latex(node)


def _omml_limit(node: XmlNode) -> str:
    mark = "_" if node.name == "limLow" else "^"
    return f"{_child_latex(node).strip()}{mark}{{{_child_latex(node, 'lim')}}}"


def _omml_rows(node: XmlNode) -> str:
    """Return the rows of a matrix or of an equation array."""
    if node.name == "m":
        rows = (row.elements("e") for row in node.elements("mr"))
        return latex.latex_matrix(map(_omml_latex, cells) for cells in rows)
    return latex.latex_lines(map(_omml_latex, node.elements("e")))


def _omml_sum(node: XmlNode) -> str:
    sign = _omml_property(node, "chr", "∫")
    return f"{latex.OPERATORS.get(sign, sign)}{_omml_scripts(node)}{{{_child_latex(node)}}}"


def _omml_scripts(node: XmlNode) -> str:
    return latex.latex_scripts(_child_latex(node, "sub"), _child_latex(node, "sup"))


def _omml_root(node: XmlNode) -> str:
    degree = "" if _has_omml_flag(node, "degHide") else _child_latex(node, "deg")
    return latex.latex_root(_child_latex(node), degree)


def _omml_scripted(node: XmlNode) -> str:
    return f"{latex.brace_base(_child_latex(node))}{_omml_scripts(node)}"


_OMML_WRITERS: Final[dict[str, Callable[[XmlNode], str]]] = {
    "r": _omml_run,
    "acc": _omml_accent,
    "bar": _omml_bar,
    "borderBox": lambda node: f"\\boxed{{{_child_latex(node)}}}",
    "d": _omml_delimiters,
    "eqArr": _omml_rows,
    "f": _omml_fraction,
    "func": _omml_function,
    "groupChr": _omml_group,
    "limLow": _omml_limit,
    "limUpp": _omml_limit,
    "m": _omml_rows,
    "nary": _omml_sum,
    "rad": _omml_root,
    "sSub": _omml_scripted,
    "sSubSup": _omml_scripted,
    "sPre": lambda node: f"{{}}{_omml_scripts(node)}{_child_latex(node)}",
    "sSup": _omml_scripted,
}
