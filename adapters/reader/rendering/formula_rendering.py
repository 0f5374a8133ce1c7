"""Write formulas as TeX: from MathML and its annotations, KaTeX, and MathJax scripts.

An annotation is invisible, so its TeX is used only if the formula shows the same letters. In the
tree, TeX stands in a code element between two marks, so that the renderer escapes nothing.
"""

import re
from collections import Counter
from typing import Final

from turbohtml import Document, Element, Text

from ..mathml import MATHML_ATTRIBUTES, MATHML_TOKENS, FormulaPart, mathml_to_latex
from ..removals import Removals

_FORMULA_SELECTOR: Final = "math,mml\\:math,script[type^='math/tex' i]"
_SCRIPT_SELECTOR: Final = "script[type^='math/tex' i]"
_TEX_SELECTOR: Final = "annotation[encoding='application/x-tex' i]"
# MathJax puts these drawings beside its scripts.
_DRAWING_SELECTOR: Final = ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_CHTML"
_TEX_COMMAND_PATTERN: Final = re.compile(r"\\(?:begin|end)\s*\{\w+\*?\}|\\[A-Za-z]+|\\.")
_LETTER_PATTERN: Final = re.compile(r"[A-Za-z0-9]")
_STYLE_PATTERN: Final = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.DOTALL)
_MAX_FORMULA_CHARS: Final = 2_000
_MAX_FORMULAS: Final = 5_000
FORMULA_MARK: Final = "\ue000"
_MARKED_PATTERN: Final = re.compile(rf"(`+) ?{FORMULA_MARK}(\$+)(.*?){FORMULA_MARK} ?\1", re.DOTALL)
# Formulas typed in the text; code matches first, because nothing is escaped in it.
TYPED_FORMULA_PATTERN: Final = re.compile(
    r"(?P<code>(?P<ticks>`+)(?:(?!(?P=ticks)).)*(?P=ticks))"
    r"|\$\$.{1,2000}?\$\$|\\\\\(.{1,500}?\\\\\)|\\\\\\\[.{1,2000}?\\\\\\\]"
    # Between single dollars a formula needs a TeX character and no blank at its ends.
    r"|\$(?=[^\s$])(?=[^`$]{0,500}[\\^_{}])[^`$]{1,500}(?<=\S)\$(?![\w$])"
)
# Stack Exchange puts this invisible pair around each post.
_GROUP_PATTERN: Final = re.compile(r"(?<!`)\$\\{1,2}(?:begin|end)group\$ ?")
_ESCAPED_PATTERN: Final = re.compile(r"\\([\\_*\[\]<>|~`#])")


def mark_formulas(document: Document, removals: Removals) -> None:
    """Replace every formula that has TeX with it, in place.

    The words of a formula are counted as the page has them.
    """
    if document.select_one(_FORMULA_SELECTOR) is None:
        return
    scripts = document.select(_SCRIPT_SELECTOR)[:_MAX_FORMULAS]
    for script in scripts:
        tex = put_formula(script, script.text, display="display" in (script.attr("type") or ""))
        if tex is not None:
            # A script is no text of the page; the drawing beside it is.
            removals.replace_source(tex, ())
    for drawing in document.select(_DRAWING_SELECTOR) if scripts else ():
        removals.take("copies", drawing)
        drawing.decompose()
    for formula in document.select(".katex,math:not(.katex math),mml\\:math")[:_MAX_FORMULAS]:
        math = formula if _mathml_tag(formula) == "math" else formula.find("math")
        if math is not None:
            _replace_with_tex(formula, math, removals)


def _replace_with_tex(formula: Element, math: Element, removals: Removals) -> None:
    """Replace a formula with its annotated TeX, or with TeX made from its MathML."""
    tex = _annotated_tex(math, formula) or (_tex_from_mathml(math) if math is formula else "")
    if tex:
        sources = removals.source_text(formula)
        node = put_formula(formula, tex, display=math.attr("display") == "block")
        if node is not None:
            removals.replace_source(node, sources)
    elif math is not formula:
        # KaTeX also draws the formula beside its MathML.
        removals.take("copies", math)
        math.decompose()


def _annotated_tex(math: Element, formula: Element) -> str:
    """Return the annotated TeX; blank where it has letters that the formula does not show."""
    annotation = math.select_one(_TEX_SELECTOR)
    tex = (annotation.text if annotation is not None else math.attr("alttext") or "").strip()
    tex_letters = Counter(_LETTER_PATTERN.findall(_TEX_COMMAND_PATTERN.sub(" ", tex)))
    noted = Counter(
        letter
        for note in math.find_all("annotation")
        for letter in _LETTER_PATTERN.findall(note.text)
    )
    shown = Counter(_LETTER_PATTERN.findall(formula.text)) - noted
    return tex if tex_letters and tex_letters <= shown else ""


def _tex_from_mathml(math: Element) -> str:
    """Return TeX made from MathML elements; blank where the plain text is the same."""
    tex = mathml_to_latex(math, _read_formula_part)
    return "" if tex == "".join(math.text.split()) else tex


def _read_formula_part(element: Element) -> tuple[FormulaPart, list[Element]]:
    attributes = {
        key: value for key in MATHML_ATTRIBUTES if (value := element.attr(key)) is not None
    }
    inside = [child for child in element.children if isinstance(child, Element)]
    name = _mathml_tag(element)
    return FormulaPart(name, attributes, element.text if name in MATHML_TOKENS else "", []), inside


def _mathml_tag(element: Element) -> str:
    return element.tag.removeprefix("mml:")


def put_formula(element: Element, tex: str, *, display: bool = False) -> Text | None:
    """Replace an element with a formula, and return its text.

    None where the formula is too long: the element stays.
    """
    wrapped = _STYLE_PATTERN.match(tex.strip())
    compact = " ".join((wrapped[1] if wrapped else tex).split())
    if not compact or len(compact) > _MAX_FORMULA_CHARS or element.parent is None:
        return None
    code = Element("code")
    node = Text(f"{FORMULA_MARK}{'$$' if display else '$'}{compact}{FORMULA_MARK}")
    code.append(node)
    element.replace_with(code)
    return node


def write_formulas(markdown: str) -> str:
    """Write marked formulas between dollars."""
    if FORMULA_MARK in markdown:
        markdown = _MARKED_PATTERN.sub(r"\2\3\2", markdown).replace(FORMULA_MARK, "")
    return _GROUP_PATTERN.sub("", markdown) if "group$" in markdown else markdown


def unescape_typed_tex(match: re.Match[str]) -> str:
    """Return a formula that was typed in the text, unescaped; code stays as it is."""
    if match["code"]:
        return match[0]
    tex = _ESCAPED_PATTERN.sub(r"\1", match[0])
    # Markdown reads a backslash and a bracket as a bracket, so write dollars.
    return f"$${tex[2:-2]}$$" if tex.startswith("\\[") else tex
