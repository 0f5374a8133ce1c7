"""Formulas in MathML as LaTeX.

https://www.w3.org/TR/mathml-core/ and MathML 3, 3.1 to 3.7 (read 2026-11-17). What a formula
hides or only notes is left out.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from .latex import (
    ACCENTS,
    FUNCTIONS,
    OPERATORS,
    brace_base,
    escape_text,
    join_latex,
    latex_fences,
    latex_fraction,
    latex_matrix,
    latex_root,
    latex_scripts,
)

# A formula that is larger, or nested deeper, stays the text it is.
_MAX_FORMULA_PARTS: Final = 3_000
_MAX_FORMULA_DEPTH: Final = 60
ATTRIBUTES: Final = (
    "mathvariant", "bevelled", "linethickness", "open", "close", "separators",
)  # fmt: skip
TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
_UNSEEN: Final = frozenset({"annotation", "annotation-xml", "mphantom", "mprescripts", "none"})
# Times, function application, comma and plus that nobody sees.
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064\u200b"))
_PRIMES: Final = {"\u2032": "'", "\u2033": "''", "\u2034": "'''"}
_OVER: Final = {
    **ACCENTS, "^": "hat", "\u02c6": "hat", "~": "tilde", "\u02dc": "tilde", "¯": "overline",
    "_": "overline", "-": "overline", "\u2212": "overline", "→": "vec", "˙": "dot", ".": "dot",
    "¨": "ddot", "\u00b4": "acute", "`": "grave", "˘": "breve", "ˇ": "check", "⏞": "overbrace",
    "⏜": "overparen", "⎴": "overbracket",
}  # fmt: skip
_UNDER: Final = {
    "_": "underline", "¯": "underline", "\u0332": "underline", "-": "underline",
    "⏟": "underbrace", "⏝": "underparen", "⎵": "underbracket",
}  # fmt: skip
_ALPHABETS: Final = {
    "bold": "mathbf",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    "fraktur": "mathfrak",
    "monospace": "mathtt",
    "sans-serif": "mathsf",
    "script": "mathcal",
}


class FormulaPart(NamedTuple):
    """An element of a formula: its name without prefix, and its text where it is a token.

    Of its attributes only ``ATTRIBUTES`` say something.
    """

    name: str
    attributes: Mapping[str, str]
    text: str
    parts: list["FormulaPart"]


_Tree = TypeVar("_Tree")


def mathml_to_latex(
    root: _Tree, seen: Callable[[_Tree], tuple[FormulaPart, Sequence[_Tree]]]
) -> str:
    """Return what a formula shows as LaTeX; nothing where it is too large, or shows nothing.

    ``seen`` gives an element of the caller's tree as a part without parts, and what is inside.
    """
    whole, inside = seen(root)
    level = [(whole, inside)]
    left = _MAX_FORMULA_PARTS
    for _ in range(_MAX_FORMULA_DEPTH):
        below = [
            (part, seen(each)) for part, inner in level if part.name not in TOKENS for each in inner
        ]
        left -= len(below)
        if left < 0:
            break
        if not below:
            return " ".join(_latex(whole).split())
        for above, (part, _inner) in below:
            above.parts.append(part)
        level = [found for _, found in below]
    return ""


def _latex(part: FormulaPart) -> str:
    # A broken element is shown as a row (MathML Core, 3.3.1.2, "Layout of mrow").
    is_broken = len(part.parts) != _SIZES.get(part.name, len(part.parts))
    return _row(part) if is_broken else _WRITTEN.get(part.name, _row)(part)


def _shown(part: FormulaPart) -> list[FormulaPart]:
    return [each for each in part.parts if each.name not in _UNSEEN]


def _each(part: FormulaPart) -> list[str]:
    return [_latex(each).strip() for each in part.parts]


def _row(part: FormulaPart) -> str:
    """Return parts one behind the other; fences around a table grow with it."""
    parts = _shown(part)
    tables = [place for place, each in enumerate(parts) if _core(each).name == "mtable"]
    if not tables:
        return join_latex(map(_latex, parts))
    first, last = tables[0], tables[-1]
    opening = parts[first - 1].text if first else ""
    closing = parts[last + 1].text if last + 1 < len(parts) else ""
    opens, closes = opening in {"(", "[", "{", "|", "‖"}, closing in {")", "]", "}", "|", "‖"}
    if not (opens or closes):
        return join_latex(map(_latex, parts))
    inside = join_latex(map(_latex, parts[first : last + 1]))
    return join_latex(
        (
            *map(_latex, parts[: first - opens]),
            latex_fences(opening if opens else "", inside, closing if closes else ""),
            *map(_latex, parts[last + 1 + closes :]),
        )
    )


def _first(part: FormulaPart) -> str:
    """Return the first of several forms: the others say the same, or show when somebody clicks."""
    return "".join(map(_latex, _shown(part)[:1]))


def _identifier(part: FormulaPart) -> str:
    plain = escape_text(part.text.translate(_INVISIBLE).strip())
    if plain in FUNCTIONS:
        return f"\\{plain}"
    alphabet = _ALPHABETS.get(part.attributes.get("mathvariant", ""))
    if alphabet is None and len(plain) > 1 and plain.isalpha():
        alphabet = "mathrm"
    return f"\\{alphabet}{{{plain}}}" if alphabet and plain else plain


def _number(part: FormulaPart) -> str:
    return escape_text(part.text.strip())


def _operator(part: FormulaPart) -> str:
    plain = part.text.translate(_INVISIBLE).strip().replace("\u2212", "-")
    if plain in FUNCTIONS:
        return f"\\{plain}"
    if len(plain) > 1 and plain.isalpha():
        return f"\\operatorname{{{plain}}}"
    return _PRIMES.get(plain) or OPERATORS.get(plain) or escape_text(plain)


def _text(part: FormulaPart) -> str:
    plain = escape_text(" ".join(part.text.split()))
    around = [" " if edge.isspace() else "" for edge in (part.text[:1], part.text[-1:])]
    return f"\\text{{{around[0]}{plain}{around[1]}}}" if plain else " "


def _string(part: FormulaPart) -> str:
    return f'\\text{{"{escape_text(part.text)}"}}'


def _fraction(part: FormulaPart) -> str:
    above, below = _each(part)
    if part.attributes.get("bevelled") == "true":
        return f"{brace_base(above)}/{brace_base(below)}"
    thickness = part.attributes.get("linethickness", "")
    return latex_fraction(above, below, line=not thickness.startswith("0") or "." in thickness)


def _square_root(part: FormulaPart) -> str:
    return latex_root(_row(part).strip())


def _root(part: FormulaPart) -> str:
    return latex_root(*_each(part))


def _core(part: FormulaPart) -> FormulaPart:
    """Return what is inside of rows that hold one thing."""
    while part.name in {"mrow", "mstyle", "mpadded", "semantics"} and len(_shown(part)) == 1:
        part = _shown(part)[0]
    return part


def _placed(part: FormulaPart) -> tuple[FormulaPart, FormulaPart, FormulaPart]:
    """Return a base, what stands at its foot and what at its head."""
    base, first, second = [*part.parts, _NOTHING][:3]
    if part.name in {"msub", "munder"}:
        return base, first, _NOTHING
    return (base, _NOTHING, first) if part.name in {"msup", "mover"} else (base, first, second)


def _scripted(part: FormulaPart) -> str:
    base, below, above = _placed(part)
    return _with_scripts(_latex(base).strip(), below, above)


def _with_scripts(base: str, below: FormulaPart, above: FormulaPart) -> str:
    lower, upper = _latex(below).strip(), _latex(above).strip()
    is_prime = not upper.strip("'")
    head = upper if is_prime else latex_scripts("", upper)
    return f"{brace_base(base)}{latex_scripts(lower, '')}{head}"


def _stacked(part: FormulaPart) -> str:
    """Return an accent, limits at an operator, or one thing above or below another."""
    base, below, above = _placed(part)
    over, under = _OVER.get(_core(above).text.strip()), _UNDER.get(_core(below).text.strip())
    inside = _latex(base).strip()
    if inside.startswith("\\") and not (over or under):
        return _with_scripts(inside, below, above)
    return _stack(_stack(inside, under, "underset", below), over, "overset", above)


def _stack(base: str, accent: str | None, name: str, beside: FormulaPart) -> str:
    if accent:
        return f"\\{accent}{{{base}}}"
    words = _latex(beside).strip()
    return f"\\{name}{{{words}}}{{{base}}}" if words else base


def _many_scripts(part: FormulaPart) -> str:
    """Return scripts on both sides: pairs of a lower and an upper one, some of them before."""
    names = [each.name for each in part.parts]
    cut = names.index("mprescripts") if "mprescripts" in names else len(names)
    base = "".join(map(_latex, part.parts[:1])).strip()
    before, behind = _pairs(part.parts[cut + 1 :]), _pairs(part.parts[1:cut])
    return f"{''.join(f'{{}}{each}' for each in before)}{brace_base(base)}{'{}'.join(behind)}"


def _pairs(parts: list[FormulaPart]) -> Iterator[str]:
    for below, above in zip(parts[::2], [*parts[1::2], _NOTHING], strict=False):
        yield latex_scripts(_latex(below).strip(), _latex(above).strip())


def _fenced(part: FormulaPart) -> str:
    opening, closing = (part.attributes.get(name, sign) for name, sign in _EDGES)
    marks = part.attributes.get("separators", ",").replace(" ", "")
    parts = list(map(_latex, _shown(part)))
    pieces = parts[:1]
    for place, each in enumerate(parts[1:]):
        pieces += [escape_text(marks[min(place, len(marks) - 1)]) if marks else "", each]
    return latex_fences(opening.strip(), join_latex(pieces), closing.strip())


_EDGES: Final = (("open", "("), ("close", ")"))


def _table(part: FormulaPart) -> str:
    return latex_matrix(map(_cells, _shown(part)))


def _cells(row: FormulaPart) -> list[str]:
    cells = _shown(row) if row.name in {"mtr", "mlabeledtr"} else [row]
    return [_latex(cell).strip() for cell in cells]


def _space(_part: FormulaPart) -> str:
    return " "


def _nothing(_part: FormulaPart) -> str:
    return ""


_SIZES: Final = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
_NOTHING: Final = FormulaPart("none", {}, "", [])
_WRITTEN: Final[dict[str, Callable[[FormulaPart], str]]] = {
    **dict.fromkeys(_UNSEEN, _nothing),
    "maction": _first,
    "mfenced": _fenced,
    "mfrac": _fraction,
    "mi": _identifier,
    "mmultiscripts": _many_scripts,
    "mn": _number,
    "mo": _operator,
    "mover": _stacked,
    "mroot": _root,
    "ms": _string,
    "mspace": _space,
    "msqrt": _square_root,
    "msub": _scripted,
    "msubsup": _scripted,
    "msup": _scripted,
    "mtable": _table,
    "mtext": _text,
    "munder": _stacked,
    "munderover": _stacked,
    "semantics": _first,
}
