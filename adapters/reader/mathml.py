"""Formulas in MathML as LaTeX.

https://www.w3.org/TR/mathml-core/ and MathML 3, 3.1 to 3.7 (read 2026-11-17). Hidden parts and
annotations are left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from .latex import (
    ACCENTS,
    FUNCTIONS,
    OPERATORS,
    brace_base,
    escape_latex_text,
    join_latex,
    latex_fences,
    latex_fraction,
    latex_matrix,
    latex_root,
    latex_scripts,
)

# A larger or deeper formula stays plain text.
_MAX_FORMULA_PARTS: Final = 3_000
_MAX_FORMULA_DEPTH: Final = 60
MATHML_ATTRIBUTES: Final = (
    "mathvariant", "bevelled", "linethickness", "open", "close", "separators",
)  # fmt: skip
MATHML_TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_HIDDEN_TAGS: Final = frozenset({"annotation", "annotation-xml", "mphantom", "mprescripts", "none"})
# Invisible function application, times, comma and plus, and the zero-width space.
_INVISIBLE_OPERATORS: Final = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b"))
_PRIMES: Final = {"\u2032": "'", "\u2033": "''", "\u2034": "'''"}
_OVER_ACCENTS: Final = {
    **ACCENTS, "^": "hat", "\u02c6": "hat", "~": "tilde", "\u02dc": "tilde", "¯": "overline",
    "_": "overline", "-": "overline", "\u2212": "overline", "→": "vec", "˙": "dot", ".": "dot",
    "¨": "ddot", "\u00b4": "acute", "`": "grave", "˘": "breve", "ˇ": "check", "⏞": "overbrace",
    "⏜": "overparen", "⎴": "overbracket",
}  # fmt: skip
_UNDER_ACCENTS: Final = {
    "_": "underline", "¯": "underline", "\u0332": "underline", "-": "underline",
    "⏟": "underbrace", "⏝": "underparen", "⎵": "underbracket",
}  # fmt: skip
_ALPHABETS: Final = {
    "bold": "mathbf", "bold-italic": "boldsymbol", "double-struck": "mathbb", "fraktur": "mathfrak",
    "monospace": "mathtt", "sans-serif": "mathsf", "script": "mathcal",
}  # fmt: skip
_CHILD_COUNTS: Final = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}


class FormulaPart(NamedTuple):
    """An element of a formula: its name without prefix, and its text where it is a token.

    Only the attributes in ``MATHML_ATTRIBUTES`` are read.
    """

    name: str
    attributes: Mapping[str, str]
    text: str
    parts: list["FormulaPart"]


_Tree = TypeVar("_Tree")


def mathml_to_latex(
    root: _Tree, read_part: Callable[[_Tree], tuple[FormulaPart, Sequence[_Tree]]]
) -> str:
    """Return a formula as LaTeX; blank where it is too large or shows nothing.

    ``read_part`` turns an element of the caller's tree into a childless part and its children.
    """
    formula, inside = read_part(root)
    level = [(formula, inside)]
    remaining = _MAX_FORMULA_PARTS
    for _ in range(_MAX_FORMULA_DEPTH):
        below = [
            (part, read_part(node))
            for part, inner in level
            if part.name not in MATHML_TOKENS
            for node in inner
        ]
        remaining -= len(below)
        if remaining < 0:
            break
        if not below:
            return " ".join(_part_to_latex(formula).split())
        for above, (part, _inner) in below:
            above.parts.append(part)
        level = [child for _, child in below]
    return ""


def _part_to_latex(part: FormulaPart) -> str:
    # A broken element is shown as a row (MathML Core, 3.3.1.2, "Layout of mrow").
    is_broken = len(part.parts) != _CHILD_COUNTS.get(part.name, len(part.parts))
    return _row_to_latex(part) if is_broken else _LATEX_WRITERS.get(part.name, _row_to_latex)(part)


def _shown_parts(part: FormulaPart) -> list[FormulaPart]:
    return [child for child in part.parts if child.name not in _HIDDEN_TAGS]


def _parts_to_latex(part: FormulaPart) -> list[str]:
    return [_part_to_latex(child).strip() for child in part.parts]


def _row_to_latex(part: FormulaPart) -> str:
    """Return the parts joined; fences around a table grow with it."""
    parts = _shown_parts(part)
    tables = [index for index, child in enumerate(parts) if _unwrap_mrow(child).name == "mtable"]
    if not tables:
        return join_latex(map(_part_to_latex, parts))
    first, last = tables[0], tables[-1]
    opening = parts[first - 1].text if first else ""
    closing = parts[last + 1].text if last + 1 < len(parts) else ""
    opens, closes = opening in {"(", "[", "{", "|", "‖"}, closing in {")", "]", "}", "|", "‖"}
    if not (opens or closes):
        return join_latex(map(_part_to_latex, parts))
    inside = join_latex(map(_part_to_latex, parts[first : last + 1]))
    return join_latex(
        (
            *map(_part_to_latex, parts[: first - opens]),
            latex_fences(opening if opens else "", inside, closing if closes else ""),
            *map(_part_to_latex, parts[last + 1 + closes :]),
        )
    )


def _first_form_to_latex(part: FormulaPart) -> str:
    """Return the first of several forms: the others repeat it or appear only after a click."""
    return "".join(map(_part_to_latex, _shown_parts(part)[:1]))


def _identifier_to_latex(part: FormulaPart) -> str:
    name = escape_latex_text(part.text.translate(_INVISIBLE_OPERATORS).strip())
    if name in FUNCTIONS:
        return f"\\{name}"
    alphabet = _ALPHABETS.get(part.attributes.get("mathvariant", ""))
    if alphabet is None and len(name) > 1 and name.isalpha():
        alphabet = "mathrm"
    return f"\\{alphabet}{{{name}}}" if alphabet and name else name


def _operator_to_latex(part: FormulaPart) -> str:
    name = part.text.translate(_INVISIBLE_OPERATORS).strip().replace("\u2212", "-")
    if name in FUNCTIONS:
        return f"\\{name}"
    if len(name) > 1 and name.isalpha():
        return f"\\operatorname{{{name}}}"
    return _PRIMES.get(name) or OPERATORS.get(name) or escape_latex_text(name)


def _text_to_latex(part: FormulaPart) -> str:
    text = escape_latex_text(" ".join(part.text.split()))
    edges = [" " if edge.isspace() else "" for edge in (part.text[:1], part.text[-1:])]
    return f"\\text{{{edges[0]}{text}{edges[1]}}}" if text else " "


def _string_to_latex(part: FormulaPart) -> str:
    return f'\\text{{"{escape_latex_text(part.text)}"}}'


def _fraction_to_latex(part: FormulaPart) -> str:
    above, below = _parts_to_latex(part)
    if part.attributes.get("bevelled") == "true":
        return f"{brace_base(above)}/{brace_base(below)}"
    thickness = part.attributes.get("linethickness", "")
    return latex_fraction(above, below, line=not thickness.startswith("0") or "." in thickness)


def _unwrap_mrow(part: FormulaPart) -> FormulaPart:
    """Return the part inside nested rows that hold a single part."""
    while part.name in {"mrow", "mstyle", "mpadded", "semantics"} and len(_shown_parts(part)) == 1:
        part = _shown_parts(part)[0]
    return part


def _base_and_scripts(part: FormulaPart) -> tuple[FormulaPart, FormulaPart, FormulaPart]:
    """Return a base, its lower part and its upper part; the empty part where one is missing."""
    base, first, second = [*part.parts, _EMPTY_PART][:3]
    if part.name in {"msub", "munder"}:
        return base, first, _EMPTY_PART
    return (base, _EMPTY_PART, first) if part.name in {"msup", "mover"} else (base, first, second)


def _scripts_to_latex(part: FormulaPart) -> str:
    base, below, above = _base_and_scripts(part)
    return _add_latex_scripts(_part_to_latex(base).strip(), below, above)


def _add_latex_scripts(base: str, below: FormulaPart, above: FormulaPart) -> str:
    lower, upper = _part_to_latex(below).strip(), _part_to_latex(above).strip()
    is_prime = not upper.strip("'")
    head = upper if is_prime else latex_scripts("", upper)
    return f"{brace_base(base)}{latex_scripts(lower, '')}{head}"


def _stacked_to_latex(part: FormulaPart) -> str:
    """Return an accent, the limits of an operator, or a part above or below another."""
    base, below, above = _base_and_scripts(part)
    over = _OVER_ACCENTS.get(_unwrap_mrow(above).text.strip())
    under = _UNDER_ACCENTS.get(_unwrap_mrow(below).text.strip())
    inside = _part_to_latex(base).strip()
    if inside.startswith("\\") and not (over or under):
        return _add_latex_scripts(inside, below, above)
    return _stack_latex(_stack_latex(inside, under, "underset", below), over, "overset", above)


def _stack_latex(base: str, accent: str | None, name: str, script: FormulaPart) -> str:
    if accent:
        return f"\\{accent}{{{base}}}"
    latex = _part_to_latex(script).strip()
    return f"\\{name}{{{latex}}}{{{base}}}" if latex else base


def _multiscripts_to_latex(part: FormulaPart) -> str:
    """Return a base with pairs of lower and upper scripts after it and before it."""
    names = [child.name for child in part.parts]
    split_index = names.index("mprescripts") if "mprescripts" in names else len(names)
    base = "".join(map(_part_to_latex, part.parts[:1])).strip()
    before = _script_pairs_to_latex(part.parts[split_index + 1 :])
    after = _script_pairs_to_latex(part.parts[1:split_index])
    return f"{''.join(f'{{}}{child}' for child in before)}{brace_base(base)}{'{}'.join(after)}"


def _script_pairs_to_latex(parts: list[FormulaPart]) -> Iterator[str]:
    for below, above in zip(parts[::2], [*parts[1::2], _EMPTY_PART], strict=False):
        yield latex_scripts(_part_to_latex(below).strip(), _part_to_latex(above).strip())


def _fenced_to_latex(part: FormulaPart) -> str:
    opening, closing = part.attributes.get("open", "("), part.attributes.get("close", ")")
    signs = part.attributes.get("separators", ",").replace(" ", "")
    parts = list(map(_part_to_latex, _shown_parts(part)))
    pieces = parts[:1]
    for index, piece in enumerate(parts[1:]):
        pieces += [escape_latex_text(signs[min(index, len(signs) - 1)]) if signs else "", piece]
    return latex_fences(opening.strip(), join_latex(pieces), closing.strip())


def _table_to_latex(part: FormulaPart) -> str:
    """Return a table as a matrix; a part that is not a row is a row of one cell."""
    rows = (
        _shown_parts(row) if row.name in {"mtr", "mlabeledtr"} else [row]
        for row in _shown_parts(part)
    )
    return latex_matrix([_part_to_latex(cell).strip() for cell in row] for row in rows)


_EMPTY_PART: Final = FormulaPart("none", {}, "", [])
_LATEX_WRITERS: Final[dict[str, Callable[[FormulaPart], str]]] = {
    **dict.fromkeys(_HIDDEN_TAGS, lambda _part: ""),
    "maction": _first_form_to_latex,
    "mfenced": _fenced_to_latex,
    "mfrac": _fraction_to_latex,
    "mi": _identifier_to_latex,
    "mmultiscripts": _multiscripts_to_latex,
    "mo": _operator_to_latex,
    "mn": lambda part: escape_latex_text(part.text.strip()),
    "mover": _stacked_to_latex,
    "mroot": lambda part: latex_root(*_parts_to_latex(part)),
    "ms": _string_to_latex,
    "mspace": lambda _part: " ",
    "msub": _scripts_to_latex,
    "msqrt": lambda part: latex_root(_row_to_latex(part).strip()),
    "msubsup": _scripts_to_latex,
    "msup": _scripts_to_latex,
    "mtable": _table_to_latex,
    "mtext": _text_to_latex,
    "munder": _stacked_to_latex,
    "munderover": _stacked_to_latex,
    "semantics": _first_form_to_latex,
}
