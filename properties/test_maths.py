"""Formulas in MathML: whatever they are made of, what they show is in their LaTeX, once."""

import re
from collections import Counter

from hypothesis import given, strategies as st

from webseam.adapters.reader.mathml import FormulaPart, mathml_to_latex

_NUMBERS = st.from_regex(r"[1-9]{1,3}", fullmatch=True)
_SIGNS = st.sampled_from(["+", "(", ")", "{", "}", "[", "|", "→", "¯", "′", "∑", "%", "\\", "^"])
_TOKENS = st.one_of(
    st.builds(lambda text: FormulaPart("mn", {}, text, []), _NUMBERS),
    st.builds(lambda text: FormulaPart("mtext", {}, text, []), _NUMBERS),
    st.builds(lambda text: FormulaPart("mo", {}, text, []), _SIGNS),
)
_NAMES = st.sampled_from(
    [
        "mrow", "mfrac", "mroot", "msqrt", "msub", "msup", "msubsup", "munder", "mover",
        "munderover", "mmultiscripts", "mtable", "mtr", "mtd", "mfenced", "mstyle", "unheard",
    ]
)  # fmt: skip
_FORMULAS = st.recursive(
    _TOKENS,
    lambda inside: st.builds(
        lambda name, parts: FormulaPart(name, {}, "", parts), _NAMES, st.lists(inside, max_size=4)
    ),
    max_leaves=20,
)


def _seen(part: FormulaPart) -> tuple[FormulaPart, list[FormulaPart]]:
    return part._replace(parts=[]), part.parts


def _numbers(part: FormulaPart) -> Counter[str]:
    inside = sum((_numbers(each) for each in part.parts), Counter[str]())
    return inside + Counter(filter(str.isdigit, part.text))


@given(_FORMULAS)
def test_a_formula_keeps_its_numbers_and_closes_what_it_opens(formula: FormulaPart) -> None:
    latex = mathml_to_latex(formula, _seen).replace("{0pt}", "")

    assert Counter(filter(str.isdigit, latex)) == _numbers(formula)
    bare = re.sub(r"\\[^A-Za-z]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert bare.count(r"\left") == bare.count(r"\right")
    assert bare.count(r"\begin") == bare.count(r"\end")
