"""Word: paragraphs, headings, lists, links, tables and footnotes; deleted and hidden text goes."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from ..draft import Allowance, Draft
from ..markup import link, table, tamed
from .package import Package
from .xml import Node, elements, main_part, relations

_LOWEST_HEADING: Final = 6
_DEEPEST_ITEM: Final = 8
_LONGEST_CHAIN: Final = 10
_MOST_DIGITS: Final = 9


class _Style(msgspec.Struct, frozen=True, kw_only=True):
    """What a style says of its paragraphs, and the style it is based on."""

    heading: int = 0
    list_id: str = ""
    level: int = 0
    base: str = ""
    is_byline: bool = False


class Styles(msgspec.Struct, frozen=True):
    """The styles by id, and which levels of which lists count in place of showing dots."""

    by_id: Mapping[str, _Style]
    counted: frozenset[tuple[str, int]]

    def heading(self, paragraph: Node) -> int:
        """Return the heading's level, 0 when it is none."""
        own = _number(paragraph.first("pPr", "outlineLvl"))
        if own is not None and own < _LOWEST_HEADING:
            return own + 1
        chain = self._chain(paragraph)
        if chain and chain[0].is_byline:
            return 0
        return next((style.heading for style in chain if style.heading), 0)

    def item(self, paragraph: Node) -> str | None:
        """Return the mark before a list's item, indented by its level; None for no item."""
        own = paragraph.first("pPr", "numPr", "numId")
        styled = next((style for style in self._chain(paragraph) if style.list_id), None)
        list_id = own.get("val") if own else styled.list_id if styled else ""
        if list_id in ("", "0"):
            return None
        own_level = _number(paragraph.first("pPr", "numPr", "ilvl"))
        level = own_level if own_level is not None else styled.level if styled else 0
        mark = "1." if (list_id, level) in self.counted else "-"
        return f"{'   ' * min(level, _DEEPEST_ITEM)}{mark} "

    def _chain(self, paragraph: Node) -> list[_Style]:
        """Return the paragraph's style and those it is based on; a circle ends."""
        named = paragraph.first("pPr", "pStyle")
        style = self.by_id.get(named.get("val")) if named else None
        chain: list[_Style] = []
        while style is not None and len(chain) < _LONGEST_CHAIN:
            chain.append(style)
            style = self.by_id.get(style.base)
        return chain


def read_styles(package: Package) -> Styles:
    """Read the style sheet and the lists; a document without them has plain paragraphs."""
    nodes = elements(package.chunks("word/styles.xml"), "style")
    by_id = {node.get("styleId"): _style(node) for node in nodes}
    return Styles(by_id, frozenset(_counted(package)))


def _style(node: Node) -> _Style:
    name, base = node.first("name"), node.first("basedOn")
    words = (name.get("val") if name else "").lower().split()
    numbering = node.first("pPr", "numPr", "numId")
    return _Style(
        heading=_heading(words, node),
        list_id=numbering.get("val") if numbering else "",
        level=_list_level(words, node),
        base=base.get("val") if base else "",
        # Based on the title's style by Pandoc, which makes them no headings.
        is_byline=words in (["author"], ["date"]),
    )


def _heading(words: list[str], node: Node) -> int:
    """Return the level that a style's name or outline says, 0 for none."""
    match words:
        case ["heading", digit] if digit in {*"123456789"}:
            return min(int(digit), _LOWEST_HEADING)
        case ["title"]:
            return 1
        case ["subtitle"]:
            return 2
    outline = _number(node.first("pPr", "outlineLvl"))
    return outline + 1 if outline is not None and outline < _LOWEST_HEADING else 0


def _list_level(words: list[str], node: Node) -> int:
    """Return how deep a style's items stand: it says so, or its name does, as List Bullet 2."""
    level = _number(node.first("pPr", "numPr", "ilvl"))
    if level is not None:
        return level
    return int(words[-1]) - 1 if words and words[-1] in {*"2345"} else 0


def _counted(package: Package) -> list[tuple[str, int]]:
    """Return each list's id and level that counts."""
    counting: dict[str, list[int]] = {}
    numbers: list[tuple[str, int]] = []
    for node in elements(package.chunks("word/numbering.xml"), "abstractNum", "num"):
        if node.name == "abstractNum":
            counting[node.get("abstractNumId")] = _counting_levels(node)
        elif pointer := node.first("abstractNumId"):
            levels = counting.get(pointer.get("val"), [])
            numbers.extend((node.get("numId"), level) for level in levels)
    return numbers


def _counting_levels(numbering: Node) -> list[int]:
    """Return the levels that show numbers; a list that only has a first level has no other."""
    levels = []
    for node in numbering.nodes("lvl"):
        form, level = node.first("numFmt"), node.get("ilvl")
        if form and form.get("val") not in ("bullet", "none") and level in {*"012345678"}:
            levels.append(int(level))
    return levels


def _number(node: Node | None) -> int | None:
    value = node.get("val") if node else ""
    fits = value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS
    return int(value) if fits else None


# About a second: a character is a step, an element is as much as a hundred (measured 2026-11-15:
# 7 to 10 µs an element, 65 ns a character).
MOST_STEPS: Final = 12_000_000
_STEPS_AN_ELEMENT: Final = 100
_PART: Final = "word/document.xml"
# Text that was deleted or moved away, and the second copy that older programs are given.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText"})
_AROUND: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_WRITTEN: Final = {"t": "", "tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}

_REFERENCES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


class _Context(msgspec.Struct, frozen=True):
    """What paragraphs refer to. ``cited`` are the footnotes in the order they are referred to."""

    styles: Styles
    links: Mapping[str, str]
    base: str
    cited: list[str] = []


def read_docx(package: Package, url: str) -> Draft:
    """Return a Word document as markdown."""
    part = main_part(package, _PART)
    context = _Context(read_styles(package), relations(package, part), url)
    blocks: list[str] = []
    was_item = False
    notes: tuple[str, ...] = ()
    allowance = Allowance(MOST_STEPS)
    for node in elements(package.chunks(part), "p", "tbl"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs and tables",)
            break
        block, is_item = _block(node, context)
        allowance.spend(node.size * _STEPS_AN_ELEMENT + len(block))
        if block:
            blocks.append(("" if not blocks else "\n" if was_item and is_item else "\n\n") + block)
            was_item = is_item
    text = "".join(blocks)
    content = "\n\n".join(filter(None, (text, "\n".join(_footnotes(package, context)))))
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _footnotes(package: Package, context: _Context) -> Iterator[str]:
    """Yield the footnotes and endnotes that the text refers to, by the numbers it has for them."""
    texts: dict[str, str] = {}
    for name in ("footnote", "endnote"):
        for node in elements(package.chunks(f"word/{name}s.xml"), name):
            key = f"{name}{node.get('id')}"
            if key in context.cited:
                texts[key] = _cell(node, context)
    for number, key in enumerate(context.cited, start=1):
        yield f"[^{number}]: {texts.get(key, '')}"


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _block(node: Node, context: _Context) -> tuple[str, bool]:
    """Return a paragraph or a table, and whether it is an item of a list."""
    if node.name == "tbl":
        return table(list(_rows(node, context))), False
    text = _text(node, context).strip()
    if not text:
        return "", False
    level = context.styles.heading(node)
    if level:
        return f"{'#' * level} {' '.join(text.split())}", False
    item = context.styles.item(node)
    return (text, False) if item is None else (f"{item}{text}", True)


def _rows(grid: Node, context: _Context) -> Iterator[list[str]]:
    for line in _inside(grid, "tr"):
        yield [_cell(cell, context) for cell in _inside(line, "tc")]


def _inside(node: Node, name: str) -> Iterator[Node]:
    """Yield the elements of a name, also those in a form's field or in what was put in later."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _AROUND:
            yield from _inside(child, name)


def _cell(cell: Node, context: _Context) -> str:
    """Return a cell's text; a table inside it is read as its text too."""
    texts = (_text(node, context).strip() for node in cell.walk() if node.name == "p")
    return " ".join(text for text in texts if text)


def _text(node: Node, context: _Context) -> str:
    return tamed("".join(_pieces(node, context)))


def _pieces(node: Node, context: _Context) -> Iterator[str]:
    """Yield the text of a paragraph, run by run."""
    for child in node.nodes():
        if child.name in _SKIPPED or _is_hidden(child):
            continue
        if child.name in _WRITTEN:
            yield _WRITTEN[child.name] or child.words()
        elif child.name == "hyperlink":
            text = "".join(_pieces(child, context))
            yield link(text, context.links.get(child.get("id"), ""), context.base)
        elif child.name in _REFERENCES:
            context.cited.append(f"{_REFERENCES[child.name]}{child.get('id')}")
            yield f"[^{len(context.cited)}]"
        else:
            yield _picture(child)
            yield from _pieces(child, context)


def _picture(node: Node) -> str:
    """Return what somebody wrote about a picture, for those who do not see it."""
    words = " ".join(node.get("descr").split()) if node.name == "docPr" else ""
    return f"[IMAGE: {words}]" if words else ""


def _is_hidden(run: Node) -> bool:
    mark = run.first("rPr", "vanish")
    return mark is not None and mark.get("val") not in ("0", "false")
