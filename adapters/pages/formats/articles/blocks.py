"""What stands in papers and patents, as blocks of markdown."""

import re
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import Final

from ...text import raised
from ..markup import fenced, link, table, tamed
from ..office.formulas import mathml
from ..office.xml import Node
from .spans import squared
from .words import flat, has_words

_LOWEST_HEADING: Final = 6
_COUNTED: Final = frozenset({"order", "alpha-lower", "roman-lower"})
# What stands beside the text: numbers of figures in files, and what only machines read.
_UNSEEN: Final = frozenset({"graphic", "inline-graphic", "label", "object-id", "permissions"})
# A formula, or several forms of one: the first that is there is taken.
_FORMS: Final = ("math", "tex-math", "textual-form")
# Publishers put a whole document of LaTeX around a formula.
_TEX: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_APART: Final = frozenset({"table-wrap", "tables", "fig", "code", "preformat", "def-list"})
_LISTS: Final = ("list", "ul", "ol")
_CODES: Final = ("code", "preformat")
_PARAGRAPHS: Final = frozenset({"p", "disp-quote", "statement"})


def blocks(node: Node, level: int, base: str) -> Iterator[str]:
    """Yield the parts of a section as blocks of markdown."""
    for child in node.nodes():
        if child.name in _SPECIAL:
            yield _SPECIAL[child.name](child, base)
        elif child.name in ("title", "heading"):
            number = flat(node.first("label")) if node.name == "sec" else ""
            yield _heading(f"{number} {_inline(child, base)}", max(level, 2))
        elif child.name in _UNSEEN:
            continue
        elif child.name in _PARAGRAPHS or has_words(child):
            yield from _paragraph(child, base)
        else:
            yield from blocks(child, level + (child.name == "sec"), base)


def _paragraph(node: Node, base: str) -> Iterator[str]:
    """Yield a paragraph, in pieces around tables, figures and code that stand in it."""
    words = Node(node.name, {})
    for child in node.children:
        if isinstance(child, Node) and child.name in _APART:
            yield _inline(words, base)
            yield _SPECIAL[child.name](child, base)
            words = Node(node.name, {})
        else:
            words.children.append(child)
    yield _inline(words, base)


def _heading(words: str, level: int) -> str:
    text = " ".join(words.split())
    return f"{'#' * min(level, _LOWEST_HEADING)} {text}" if text else ""


def _list(node: Node, base: str, depth: int = 0) -> str:
    is_counted = node.get("list-type") in _COUNTED or node.name == "ol"
    mark = "1." if is_counted else "-"
    lines: list[str] = []
    for item in node.nodes("list-item", "li"):
        text = " ".join(_inline(each, base).strip() for each in _said(item))
        lines.append(f"{'   ' * depth}{mark} {' '.join(text.split())}")
        lines += (_under(each, base, depth + 1) for each in item.nodes(*_LISTS, *_CODES))
    return "\n".join(lines)


def _said(item: Node) -> list[Node]:
    """Return what an item says before the lists and the code under it."""
    words = Node(item.name, {})
    words.children = [
        each
        for each in item.children
        if isinstance(each, str) or each.name not in (*_LISTS, *_CODES)
    ]
    return [words] if has_words(item) else list(words.nodes())


def _under(node: Node, base: str, depth: int) -> str:
    if node.name in _LISTS:
        return _list(node, base, depth)
    return indent(_code(node, base), "   " * depth)


def _table(node: Node, base: str) -> str:
    rows = squared([row for row in node.walk() if row.name in ("tr", "row")])
    cells = ([_inline(cell, base) if cell else "" for cell in row] for row in rows)
    shown = table([row for row in cells if any(row)])
    below = (text for foot in node.nodes("table-wrap-foot") for text in blocks(foot, 1, base))
    return "\n\n".join(filter(None, (_caption(node, base), shown, *below)))


def _caption(node: Node, base: str) -> str:
    label, caption = node.first("label"), node.first("caption")
    words = (flat(label), _inline(caption, base) if caption else "")
    return " ".join(" ".join(words).split())


def _reference(node: Node, base: str) -> str:
    cited = [each for each in node.nodes() if each.name not in ("label", "note")]
    # One that was written out has its own stops; one of fields alone has nothing between them.
    texts = (_inline(each, base, gap="" if has_words(each) else " ") for each in cited)
    text = " ".join(" ".join(texts).split())
    number = flat(node.first("label")).strip("[]().")
    return f"{f'{number}.' if number.isdecimal() else '-'} {text}" if text else ""


def _definitions(node: Node, base: str) -> str:
    items = (
        ": ".join(filter(None, (_inline(each, base) for each in item.nodes("term", "def"))))
        for item in node.nodes("def-item")
    )
    return "\n".join(f"- {' '.join(text.split())}" for text in items if text)


def _claim(node: Node, base: str) -> str:
    return " ".join(_inline(node, base).split())


def _verses(node: Node, base: str) -> str:
    """Return the lines of a poem, each on its own; a group in it is a stanza."""
    lines = (
        f"\n{_verses(each, base)}\n" if each.name == node.name else _claim(each, base)
        for each in node.nodes()
    )
    return "\n".join(lines).strip("\n")


def _code(node: Node, _base: str) -> str:
    return fenced(node.words())


def _footnote(node: Node, base: str) -> str:
    return " ".join(" ".join((flat(node.first("label")), _inline(node, base))).split())


def _inline(node: Node, base: str, gap: str = "") -> str:
    """Return the words of an element; ``gap`` stands between the parts of a citation."""
    return tamed(gap.join(_pieces(node, base))).strip()


def _pieces(node: Node, base: str) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield " ".join(child.split("\n"))
        elif child.name in _WITHIN:
            yield _WITHIN[child.name](child, base)
        elif child.name not in _UNSEEN:
            yield from _pieces(child, base)


def _sublist(node: Node, base: str) -> str:
    return f"\n{_list(node, base)}\n"


def _raised(node: Node, _base: str) -> str:
    return raised(node.words())


def _set_apart(node: Node, base: str) -> str:
    return f"\n\n{_displayed(node, base)}\n\n"


def _formula(node: Node, _base: str) -> str:
    """Return a formula between dollars, of several forms the one that says most."""
    forms = {each.name: each for each in [*node.walk()][::-1]}
    form = next((forms[name] for name in _FORMS if name in forms), None)
    if form is None:
        return " ".join(node.words().split())
    if form.name == "math":
        return f"${mathml(form)}$"
    tex = _TEX.search(form.words())
    plain = " ".join((tex[1] if tex else form.words()).split())
    return f"${plain.strip('$ ')}$" if form.name == "tex-math" else plain


def _displayed(node: Node, base: str) -> str:
    """Return a formula on lines of its own, with its number."""
    words = _inline(node, base)
    inside = words[1:-1]
    is_formula = len(words) > 1 and words[0] == words[-1] == "$" and "$" not in inside
    number = flat(node.first("label"))
    return f"{f'$${inside}$$' if is_formula else words} {number}".strip()


def _link(node: Node, base: str) -> str:
    words = "".join(_pieces(node, base))
    return link(words, node.get("href") or words, base)


_SPECIAL: Final[dict[str, Callable[[Node, str], str]]] = {
    "def-list": _definitions,
    "list": _list,
    "ul": _list,
    "ol": _list,
    "table-wrap": _table,
    "tables": _table,
    "fig": _caption,
    "ref": _reference,
    "claim": _claim,
    "verse-group": _verses,
    "code": _code,
    "preformat": _code,
    "fn": _footnote,
    "disp-formula": _displayed,
}
_WITHIN: Final[dict[str, Callable[[Node, str], str]]] = {
    **dict.fromkeys(("ext-link", "uri"), _link),
    **dict.fromkeys(("list", "ul", "ol"), _sublist),
    **dict.fromkeys(("alternatives", "math", "tex-math"), _formula),
    "disp-formula": _set_apart,
    "sup": _raised,
}
