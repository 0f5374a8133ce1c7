"""Formulas as TeX: from MathML and its notes, from KaTeX, and from the scripts of MathJax.

What a formula's TeX spells must be what the formula shows: a note that nobody sees says nothing
else. It travels through the tree as code, so that no sign of it is escaped, between two marks.
"""

import re
from collections import Counter
from typing import Final

from turbohtml import Document, Element, Text

from ...maths.mathml import ATTRIBUTES, TOKENS, FormulaPart, mathml_to_latex

_FORMULAS: Final = "math,mml\\:math,.katex,script[type^='math/tex' i]"
_SCRIPTS: Final = "script[type^='math/tex' i]"
_TEX: Final = "annotation[encoding='application/x-tex' i]"
# What MathJax draws beside its scripts.
_DRAWN: Final = ".MathJax_Preview,.MathJax,.MathJax_Display,.MathJax_SVG,.MathJax_CHTML"
_COMMAND: Final = re.compile(r"\\(?:begin|end)\s*\{\w+\*?\}|\\[A-Za-z]+|\\.")
_SIGN: Final = re.compile(r"[A-Za-z0-9]")
_WRAPPED: Final = re.compile(r"^\{\\(?:display|text)style\s*(.*)\}$", re.DOTALL)
_MAX_FORMULA_CHARS: Final = 2_000
_MAX_FORMULAS: Final = 5_000
MARK: Final = "\ue000"
_MARKED: Final = re.compile(rf"(`+) ?{MARK}(\$+)(.*?){MARK} ?\1", re.DOTALL)
# As the page types them; code comes first, where nothing is escaped.
_TYPED: Final = re.compile(
    r"(?P<code>(?P<ticks>`+)(?:(?!(?P=ticks)).)*(?P=ticks))"
    r"|\$\$.{1,2000}?\$\$|\\\\\(.{1,500}?\\\\\)|\\\\\\\[.{1,2000}?\\\\\\\]"
    # Between single dollars only what has a sign of TeX in it, and no blank at its ends.
    r"|\$(?=[^\s$])(?=[^`$]{0,500}[\\^_{}])[^`$]{1,500}(?<=\S)\$(?![\w$])"
)
# They draw nothing: Stack Exchange puts a pair around each post.
_GROUPING: Final = re.compile(r"(?<!`)\$\\{1,2}(?:begin|end)group\$ ?")
_ESCAPED: Final = re.compile(r"\\([\\_*\[\]<>|~`#])")


def set_formulas(document: Document) -> None:
    """Put the TeX of every formula that has any in its place."""
    if document.select_one(_FORMULAS) is None:
        return
    scripts = document.select(_SCRIPTS)[:_MAX_FORMULAS]
    for script in scripts:
        put_formula(script, script.text, display="display" in (script.attr("type") or ""))
    if scripts:
        document.remove(_DRAWN)
    for formula in document.select(".katex,math:not(.katex math),mml\\:math")[:_MAX_FORMULAS]:
        math = formula if _name(formula) == "math" else formula.find("math")
        if math is not None:
            _set_noted(formula, math)


def _set_noted(formula: Element, math: Element) -> None:
    """Put the TeX that a formula notes, or that its MathML says, in its place."""
    tex = _spelled(math, formula) or (_drawn(math) if math is formula else "")
    if tex:
        put_formula(formula, tex, display=math.attr("display") == "block")
    elif math is not formula:
        # It is drawn beside, too.
        math.decompose()


def _spelled(math: Element, formula: Element) -> str:
    """Return the TeX of MathML, where it spells no more than what is shown."""
    note = math.select_one(_TEX)
    tex = (note.text if note is not None else math.attr("alttext") or "").strip()
    spelled = Counter(_SIGN.findall(_COMMAND.sub(" ", tex)))
    notes = Counter(sign for one in math.find_all("annotation") for sign in _SIGN.findall(one.text))
    shown = Counter(_SIGN.findall(formula.text)) - notes
    return tex if spelled and spelled <= shown else ""


def _drawn(math: Element) -> str:
    """Return what the elements of a formula draw; nothing where its text says as much."""
    tex = mathml_to_latex(math, _seen)
    return "" if tex == "".join(math.text.split()) else tex


def _seen(element: Element) -> tuple[FormulaPart, list[Element]]:
    said = {key: value for key in ATTRIBUTES if (value := element.attr(key)) is not None}
    inside = [child for child in element.children if isinstance(child, Element)]
    name = _name(element)
    return FormulaPart(name, said, element.text if name in TOKENS else "", []), inside


def _name(element: Element) -> str:
    return element.tag.removeprefix("mml:")


def put_formula(element: Element, tex: str, *, display: bool = False) -> None:
    """Put a formula in the place of an element; one that is too long leaves it."""
    wrapped = _WRAPPED.match(tex.strip())
    bare = " ".join((wrapped[1] if wrapped else tex).split())
    if bare and len(bare) <= _MAX_FORMULA_CHARS and element.parent is not None:
        code = Element("code")
        code.append(Text(f"{MARK}{'$$' if display else '$'}{bare}{MARK}"))
        element.replace_with(code)


def write_formulas(markdown: str) -> str:
    """Write marked formulas between dollars."""
    if MARK in markdown:
        markdown = _MARKED.sub(r"\2\3\2", markdown).replace(MARK, "")
    return _GROUPING.sub("", markdown) if "group$" in markdown else markdown


def write_typed(line: str) -> str:
    r"""Write the formulas that a line of the page spells out as they were, unescaped.

    >>> write_typed("so $$\\\\int\\_0$$ it is")
    'so $$\\int_0$$ it is'
    """
    return _TYPED.sub(_unescaped, line)


def _unescaped(found: re.Match[str]) -> str:
    if found["code"]:
        return found[0]
    plain = _ESCAPED.sub(r"\1", found[0])
    # A bracket behind a backslash is a bracket in markdown.
    return f"$${plain[2:-2]}$$" if plain.startswith("\\[") else plain
