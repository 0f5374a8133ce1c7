"""The elements of papers and patents as blocks of markdown."""

import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import indent
from typing import Final

from webseam.adapters.values.dates import iso_date
from webseam.adapters.values.json_values import parse_whole_number
from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from ..markdown_writing import code_block, markdown_link, markdown_table
from ..office.formulas import mathml_formula
from ..office.xml_elements import XmlNode

_GIVEN_NAME_ELEMENTS: Final = ("given-names", "first-name", "firstname")


def element_line(node: XmlNode | None) -> str:
    """Return the text of an element on one line; empty for None."""
    return " ".join(disarm_pictures(node.inner_text()).split()) if node else ""


def has_direct_xml_text(node: XmlNode) -> bool:
    """Tell whether an element has text of its own, outside its child elements."""
    return any(isinstance(child, str) and child.strip() for child in node.children)


def person_name(person: XmlNode) -> str:
    """Return a person's name, given names first."""
    parts = {node.name: element_line(node) for node in person.subtree()}
    forenames = " ".join(map(element_line, person.subtree("forename")))
    given = next((parts[name] for name in _GIVEN_NAME_ELEMENTS if parts.get(name)), forenames)
    family = parts.get("surname") or parts.get("last-name", "")
    name = f"{given} {family}".strip()
    return name or parts.get("collab", "") or parts.get("string-name", "")


def element_date(node: XmlNode | None) -> str | None:
    """Return the date of the child elements year, month and day, as far as they are there."""
    parts = {part.name: element_line(part) for part in node.elements()} if node else {}
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    if month.isdecimal() and day.isdecimal():
        return iso_date(f"{year}-{month:0>2}-{day:0>2}")
    if month.isdecimal():
        return iso_date(f"{year}-{month:0>2}")
    return iso_date(f"{month} {year}".strip())


_MAX_SPANNED_COLUMNS: Final = 100
_MAX_SPANNED_ROWS: Final = 1000
# Spans are ignored past this: a hundred bytes of XML can ask for a hundred thousand cells.
_MAX_SPANNED_CELLS: Final = 200_000


def expand_table_spans(rows: Sequence[XmlNode]) -> list[list[XmlNode | None]]:
    """Return the cells of each row by column; None where another cell spans."""
    grid: list[list[XmlNode | None]] = []
    below: dict[int, int] = {}
    placed = 0
    for row in rows:
        cells: list[XmlNode | None] = []
        for cell in row.elements("td", "th", "entry"):
            cells += _spanned_table_cells(below, len(cells))
            wide = _cell_span(cell, "colspan", _MAX_SPANNED_COLUMNS)
            high = _cell_span(cell, "rowspan", _MAX_SPANNED_ROWS)
            room = range(len(cells), min(len(cells) + wide, _MAX_SPANNED_COLUMNS))
            below.update((spanned, high) for spanned in room if high > 1)
            cells += [cell, *[None] * (len(room) - 1)]
        placed += len(cells)
        may_span = placed < _MAX_SPANNED_CELLS
        below = {spanned: left - 1 for spanned, left in below.items() if left > 1 and may_span}
        grid.append(cells)
    return grid


def _spanned_table_cells(below: dict[int, int], column: int) -> Iterator[None]:
    """Yield None for each column from here on that a cell above spans."""
    while below.get(column, 0) > 0:
        yield None
        column += 1


def _cell_span(cell: XmlNode, name: str, max_span: int) -> int:
    return min(max(parse_whole_number(cell.attribute(name)) or 1, 1), max_span)


_MAX_HEADING_LEVEL: Final = 6
_NUMBERED_LIST_TYPES: Final = frozenset({"order", "alpha-lower", "roman-lower"})
# Elements that only machines read, and labels, which are written with their parents.
_HIDDEN_ELEMENTS: Final = frozenset(
    {"graphic", "inline-graphic", "label", "object-id", "permissions"}
)
# The forms of one formula, best first.
_FORMULA_FORMS: Final = ("math", "tex-math", "textual-form")
# Publishers wrap a formula in a complete LaTeX document.
_TEX_DOCUMENT_PATTERN: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_SEPARATE_ELEMENTS: Final = frozenset(
    {"table-wrap", "tables", "fig", "code", "preformat", "def-list"}
)
_LIST_ELEMENTS: Final = ("list", "ul", "ol")
_NESTED_ELEMENTS: Final = (*_LIST_ELEMENTS, "code", "preformat")
_PARAGRAPH_ELEMENTS: Final = frozenset({"p", "disp-quote", "statement"})


def article_blocks(node: XmlNode, level: int, base: str) -> Iterator[str]:
    """Yield the parts of a section as blocks of markdown."""
    for child in node.elements():
        if child.name in _BLOCK_WRITERS:
            yield _BLOCK_WRITERS[child.name](child, base)
        elif child.name in ("title", "heading"):
            number = element_line(node.find("label")) if node.name == "sec" else ""
            yield _heading(f"{number} {_inline_text(child, base)}", max(level, 2))
        elif child.name in _HIDDEN_ELEMENTS:
            continue
        elif child.name in _PARAGRAPH_ELEMENTS or has_direct_xml_text(child):
            yield from _paragraph(child, base)
        else:
            yield from article_blocks(child, level + (child.name == "sec"), base)


def _paragraph(node: XmlNode, base: str) -> Iterator[str]:
    """Yield a paragraph, split at the tables, figures and code in it."""
    text = XmlNode(node.name, {})
    for child in node.children:
        if isinstance(child, XmlNode) and child.name in _SEPARATE_ELEMENTS:
            yield _inline_text(text, base)
            yield _BLOCK_WRITERS[child.name](child, base)
            text = XmlNode(node.name, {})
        else:
            text.children.append(child)
    yield _inline_text(text, base)


def _heading(title: str, level: int) -> str:
    text = " ".join(title.split())
    return f"{'#' * min(level, _MAX_HEADING_LEVEL)} {text}" if text else ""


def _list(node: XmlNode, base: str, depth: int = 0) -> str:
    is_numbered = node.attribute("list-type") in _NUMBERED_LIST_TYPES or node.name == "ol"
    mark = "1." if is_numbered else "-"
    lines: list[str] = []
    for item in node.elements("list-item", "li"):
        texts = (_inline_text(child, base) for child in _list_item_text_nodes(item))
        lines.append(f"{'   ' * depth}{mark} {' '.join(' '.join(texts).split())}")
        nested = item.elements(*_NESTED_ELEMENTS)
        lines += (_nested_block(block, base, depth + 1) for block in nested)
    return "\n".join(lines)


def _list_item_text_nodes(item: XmlNode) -> list[XmlNode]:
    """Return the nodes of an item except its lists and code."""
    text = XmlNode(item.name, {})
    for node in item.children:
        if isinstance(node, str) or node.name not in _NESTED_ELEMENTS:
            text.children.append(node)
    return [text] if has_direct_xml_text(item) else list(text.elements())


def _nested_block(node: XmlNode, base: str, depth: int) -> str:
    if node.name in _LIST_ELEMENTS:
        return _list(node, base, depth)
    return indent(code_block(node.inner_text()), "   " * depth)


def _table(node: XmlNode, base: str) -> str:
    rows = expand_table_spans(list(node.subtree("tr", "row")))
    cells = ([_inline_text(cell, base) if cell else "" for cell in row] for row in rows)
    shown = markdown_table([row for row in cells if any(row)])
    foot_blocks = (
        text for foot in node.elements("table-wrap-foot") for text in article_blocks(foot, 1, base)
    )
    return "\n\n".join(filter(None, (_caption(node, base), shown, *foot_blocks)))


def _caption(node: XmlNode, base: str) -> str:
    label, caption = element_line(node.find("label")), node.find("caption")
    return " ".join(f"{label} {_inline_text(caption, base) if caption else ''}".split())


def _reference(node: XmlNode, base: str) -> str:
    cited = [node for node in node.elements() if node.name not in ("label", "note")]
    # A written citation has its own punctuation; one made of fields has nothing between them.
    texts = (
        _inline_text(node, base, gap="" if has_direct_xml_text(node) else " ") for node in cited
    )
    text = " ".join(" ".join(texts).split())
    number = element_line(node.find("label")).strip("[]().")
    return f"{f'{number}.' if number.isdecimal() else '-'} {text}" if text else ""


def _definition_list(node: XmlNode, base: str) -> str:
    lines: list[str] = []
    for item in node.elements("def-item"):
        texts = (_inline_text(part, base) for part in item.elements("term", "def"))
        if text := ": ".join(filter(None, texts)):
            lines.append(f"- {' '.join(text.split())}")
    return "\n".join(lines)


def _text_line(node: XmlNode, base: str) -> str:
    return " ".join(_inline_text(node, base).split())


def _verse_lines(node: XmlNode, base: str) -> str:
    """Return the lines of a poem; a nested group is a stanza."""
    lines = (
        f"\n{_verse_lines(verse, base)}\n" if verse.name == node.name else _text_line(verse, base)
        for verse in node.elements()
    )
    return "\n".join(lines).strip("\n")


def _footnote(node: XmlNode, base: str) -> str:
    label = element_line(node.find("label"))
    return " ".join(f"{label} {_inline_text(node, base)}".split())


def _inline_text(node: XmlNode, base: str, gap: str = "") -> str:
    """Return the text of an element; ``gap`` separates the parts of a citation."""
    return disarm_pictures(gap.join(_inline_pieces(node, base))).strip()


def _inline_pieces(node: XmlNode, base: str) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield " ".join(child.split("\n"))
        elif child.name in _INLINE_WRITERS:
            yield _INLINE_WRITERS[child.name](child, base)
        elif child.name not in _HIDDEN_ELEMENTS:
            yield from _inline_pieces(child, base)


def _formula(node: XmlNode, _base: str) -> str:
    """Return a formula between dollars, in the best of its forms."""
    forms = {node.name: node for node in [*node.subtree()][::-1]}
    form = next((forms[name] for name in _FORMULA_FORMS if name in forms), None)
    if form is None:
        return " ".join(node.inner_text().split())
    if form.name == "math":
        return f"${mathml_formula(form)}$"
    tex = _TEX_DOCUMENT_PATTERN.search(form.inner_text())
    plain = " ".join((tex[1] if tex else form.inner_text()).split())
    return f"${plain.strip('$ ')}$" if form.name == "tex-math" else plain


def _displayed_formula(node: XmlNode, base: str) -> str:
    """Return a formula as a block, with its number."""
    text = _inline_text(node, base)
    formula = text[1:-1]
    is_formula = len(text) > 1 and text[0] == text[-1] == "$" and "$" not in formula
    number = element_line(node.find("label"))
    return f"{f'$${formula}$$' if is_formula else text} {number}".strip()


def _link(node: XmlNode, base: str) -> str:
    text = "".join(_inline_pieces(node, base))
    return markdown_link(text, node.attribute("href") or text, base)


_BLOCK_WRITERS: Final[dict[str, Callable[[XmlNode, str], str]]] = {
    "def-list": _definition_list,
    "list": _list,
    "ul": _list,
    "ol": _list,
    "table-wrap": _table,
    "tables": _table,
    "fig": _caption,
    "ref": _reference,
    "claim": _text_line,
    "verse-group": _verse_lines,
    "fn": _footnote,
    "disp-formula": _displayed_formula,
    **dict.fromkeys(("code", "preformat"), lambda node, _base: code_block(node.inner_text())),
}
_INLINE_WRITERS: Final[dict[str, Callable[[XmlNode, str], str]]] = {
    **dict.fromkeys(("ext-link", "uri"), _link),
    **dict.fromkeys(_LIST_ELEMENTS, lambda node, base: f"\n{_list(node, base)}\n"),
    **dict.fromkeys(("alternatives", "math", "tex-math"), _formula),
    "disp-formula": lambda node, base: f"\n\n{_displayed_formula(node, base)}\n\n",
    "sup": lambda node, _base: superscript(node.inner_text()),
}
