"""What stands in papers and patents, as blocks of markdown."""

import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import indent
from typing import Final

from ....pages.safe_text import superscript
from ....values.numbers import parse_whole_number
from ...dates import iso_date
from ..markdown_writing import code_block, disarm_pictures, markdown_link, markdown_table
from ..office.formulas import mathml_formula
from ..office.xml_elements import XmlNode

_GIVEN: Final = ("given-names", "first-name", "firstname")


def element_line(node: XmlNode | None) -> str:
    """Return the words of an element in one line; empty when there is none."""
    return " ".join(disarm_pictures(node.words()).split()) if node else ""


def has_words(node: XmlNode) -> bool:
    """Tell whether there is text right inside, and not only in what is inside."""
    return any(isinstance(child, str) and child.strip() for child in node.children)


def person_name(person: XmlNode) -> str:
    """Return a person's name, given names first."""
    parts = {each.name: element_line(each) for each in person.walk()}
    given = next((parts[name] for name in _GIVEN if parts.get(name)), "") or " ".join(
        element_line(each) for each in person.walk() if each.name == "forename"
    )
    family = parts.get("surname") or parts.get("last-name", "")
    whole = f"{given} {family}".strip()
    return whole or parts.get("collab", "") or parts.get("string-name", "")


def element_date(node: XmlNode | None) -> str | None:
    """Return the day that an element has the parts of."""
    parts = {each.name: element_line(each) for each in node.nodes()} if node else {}
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    if month.isdecimal() and day.isdecimal():
        return iso_date(f"{year}-{month:0>2}-{day:0>2}")
    return iso_date(f"{month or 'January'} 1, {year}") if year else None


# Tables whose cells reach over several columns or rows, as squares of cells.

_MAX_SPANNED_COLUMNS: Final = 100
_MAX_SPANNED_ROWS: Final = 1000
# Past so many no cell reaches anywhere: a hundred bytes can ask for a hundred thousand.
_MAX_SPANNED_CELLS: Final = 200_000


def expand_spans(rows: Sequence[XmlNode]) -> list[list[XmlNode | None]]:
    """Return the cells of each row in their columns; None where another cell reaches to."""
    square: list[list[XmlNode | None]] = []
    below: dict[int, int] = {}
    placed = 0
    for row in rows:
        cells: list[XmlNode | None] = []
        for cell in row.nodes("td", "th", "entry"):
            cells += _taken(below, len(cells))
            wide, high = (
                _span(cell, "colspan", _MAX_SPANNED_COLUMNS),
                _span(cell, "rowspan", _MAX_SPANNED_ROWS),
            )
            room = range(len(cells), min(len(cells) + wide, _MAX_SPANNED_COLUMNS))
            below.update((place, high) for place in room if high > 1)
            cells += [cell, *[None] * (len(room) - 1)]
        placed += len(cells)
        is_few = placed < _MAX_SPANNED_CELLS
        below = {column: left - 1 for column, left in below.items() if left > 1 and is_few}
        square.append(cells)
    return square


def _taken(below: dict[int, int], column: int) -> Iterator[None]:
    """Yield a blank for each column from here on that a cell above reaches down to."""
    while below.get(column, 0) > 0:
        yield None
        column += 1


def _span(cell: XmlNode, name: str, most: int) -> int:
    return min(max(parse_whole_number(cell.get(name)) or 1, 1), most)


# What stands in papers and patents, as blocks of markdown.

_MAX_HEADING_LEVEL: Final = 6
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


def article_blocks(node: XmlNode, level: int, base: str) -> Iterator[str]:
    """Yield the parts of a section as blocks of markdown."""
    for child in node.nodes():
        if child.name in _SPECIAL:
            yield _SPECIAL[child.name](child, base)
        elif child.name in ("title", "heading"):
            number = element_line(node.first("label")) if node.name == "sec" else ""
            yield _heading(f"{number} {_inline(child, base)}", max(level, 2))
        elif child.name in _UNSEEN:
            continue
        elif child.name in _PARAGRAPHS or has_words(child):
            yield from _paragraph(child, base)
        else:
            yield from article_blocks(child, level + (child.name == "sec"), base)


def _paragraph(node: XmlNode, base: str) -> Iterator[str]:
    """Yield a paragraph, in pieces around tables, figures and code that stand in it."""
    words = XmlNode(node.name, {})
    for child in node.children:
        if isinstance(child, XmlNode) and child.name in _APART:
            yield _inline(words, base)
            yield _SPECIAL[child.name](child, base)
            words = XmlNode(node.name, {})
        else:
            words.children.append(child)
    yield _inline(words, base)


def _heading(words: str, level: int) -> str:
    text = " ".join(words.split())
    return f"{'#' * min(level, _MAX_HEADING_LEVEL)} {text}" if text else ""


def _list(node: XmlNode, base: str, depth: int = 0) -> str:
    is_counted = node.get("list-type") in _COUNTED or node.name == "ol"
    mark = "1." if is_counted else "-"
    lines: list[str] = []
    for item in node.nodes("list-item", "li"):
        text = " ".join(_inline(each, base).strip() for each in _said(item))
        lines.append(f"{'   ' * depth}{mark} {' '.join(text.split())}")
        lines += (_under(each, base, depth + 1) for each in item.nodes(*_LISTS, *_CODES))
    return "\n".join(lines)


def _said(item: XmlNode) -> list[XmlNode]:
    """Return what an item says before the lists and the code under it."""
    words = XmlNode(item.name, {})
    words.children = [
        each
        for each in item.children
        if isinstance(each, str) or each.name not in (*_LISTS, *_CODES)
    ]
    return [words] if has_words(item) else list(words.nodes())


def _under(node: XmlNode, base: str, depth: int) -> str:
    if node.name in _LISTS:
        return _list(node, base, depth)
    return indent(_code(node, base), "   " * depth)


def _table(node: XmlNode, base: str) -> str:
    rows = expand_spans([row for row in node.walk() if row.name in ("tr", "row")])
    cells = ([_inline(cell, base) if cell else "" for cell in row] for row in rows)
    shown = markdown_table([row for row in cells if any(row)])
    below = (
        text for foot in node.nodes("table-wrap-foot") for text in article_blocks(foot, 1, base)
    )
    return "\n\n".join(filter(None, (_caption(node, base), shown, *below)))


def _caption(node: XmlNode, base: str) -> str:
    label, caption = node.first("label"), node.first("caption")
    words = (element_line(label), _inline(caption, base) if caption else "")
    return " ".join(" ".join(words).split())


def _reference(node: XmlNode, base: str) -> str:
    cited = [each for each in node.nodes() if each.name not in ("label", "note")]
    # One that was written out has its own stops; one of fields alone has nothing between them.
    texts = (_inline(each, base, gap="" if has_words(each) else " ") for each in cited)
    text = " ".join(" ".join(texts).split())
    number = element_line(node.first("label")).strip("[]().")
    return f"{f'{number}.' if number.isdecimal() else '-'} {text}" if text else ""


def _definitions(node: XmlNode, base: str) -> str:
    items = (
        ": ".join(filter(None, (_inline(each, base) for each in item.nodes("term", "def"))))
        for item in node.nodes("def-item")
    )
    return "\n".join(f"- {' '.join(text.split())}" for text in items if text)


def _claim(node: XmlNode, base: str) -> str:
    return " ".join(_inline(node, base).split())


def _verses(node: XmlNode, base: str) -> str:
    """Return the lines of a poem, each on its own; a group in it is a stanza."""
    lines = (
        f"\n{_verses(each, base)}\n" if each.name == node.name else _claim(each, base)
        for each in node.nodes()
    )
    return "\n".join(lines).strip("\n")


def _code(node: XmlNode, _base: str) -> str:
    return code_block(node.words())


def _footnote(node: XmlNode, base: str) -> str:
    return " ".join(" ".join((element_line(node.first("label")), _inline(node, base))).split())


def _inline(node: XmlNode, base: str, gap: str = "") -> str:
    """Return the words of an element; ``gap`` stands between the parts of a citation."""
    return disarm_pictures(gap.join(_pieces(node, base))).strip()


def _pieces(node: XmlNode, base: str) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield " ".join(child.split("\n"))
        elif child.name in _WITHIN:
            yield _WITHIN[child.name](child, base)
        elif child.name not in _UNSEEN:
            yield from _pieces(child, base)


def _sublist(node: XmlNode, base: str) -> str:
    return f"\n{_list(node, base)}\n"


def _raised(node: XmlNode, _base: str) -> str:
    return superscript(node.words())


def _set_apart(node: XmlNode, base: str) -> str:
    return f"\n\n{_displayed(node, base)}\n\n"


def _formula(node: XmlNode, _base: str) -> str:
    """Return a formula between dollars, of several forms the one that says most."""
    forms = {each.name: each for each in [*node.walk()][::-1]}
    form = next((forms[name] for name in _FORMS if name in forms), None)
    if form is None:
        return " ".join(node.words().split())
    if form.name == "math":
        return f"${mathml_formula(form)}$"
    tex = _TEX.search(form.words())
    plain = " ".join((tex[1] if tex else form.words()).split())
    return f"${plain.strip('$ ')}$" if form.name == "tex-math" else plain


def _displayed(node: XmlNode, base: str) -> str:
    """Return a formula on lines of its own, with its number."""
    words = _inline(node, base)
    inside = words[1:-1]
    is_formula = len(words) > 1 and words[0] == words[-1] == "$" and "$" not in inside
    number = element_line(node.first("label"))
    return f"{f'$${inside}$$' if is_formula else words} {number}".strip()


def _link(node: XmlNode, base: str) -> str:
    words = "".join(_pieces(node, base))
    return markdown_link(words, node.get("href") or words, base)


_SPECIAL: Final[dict[str, Callable[[XmlNode, str], str]]] = {
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
_WITHIN: Final[dict[str, Callable[[XmlNode, str], str]]] = {
    **dict.fromkeys(("ext-link", "uri"), _link),
    **dict.fromkeys(("list", "ul", "ol"), _sublist),
    **dict.fromkeys(("alternatives", "math", "tex-math"), _formula),
    "disp-formula": _set_apart,
    "sup": _raised,
}
