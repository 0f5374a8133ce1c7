"""PowerPoint: each slide as a section, its text as a list, its tables, charts and notes below."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from ....pages.safe_text import superscript
from ..draft import Draft
from ..markdown_writing import disarm_pictures, markdown_link, markdown_table
from ..slides import Slide, presentation_draft
from ..symbols import with_symbols
from .charts import chart_blocks, diagram_list
from .comments_and_margins import MAX_COMMENTS, comment_line, comments_list
from .formulas import omml_formula
from .package import Package
from .package_parts import main_part, part_relations
from .xml_elements import XmlNode, part_elements

_PART: Final = "ppt/presentation.xml"
_MAX_SLIDES: Final = 500
_TITLES: Final = frozenset({"title", "ctrTitle"})
# What the master puts on every slide; a footer that somebody wrote is told once, at the end.
_FURNITURE: Final = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_FOOTERS: Final = frozenset({"ftr", "hdr"})
_MAX_LIST_DEPTH: Final = 8
_WRITTEN: Final[dict[str, Callable[[XmlNode], str]]] = {
    "t": XmlNode.words,
    "br": lambda _: " ",
    "oMath": omml_formula,
    "oMathPara": omml_formula,
}
# Where a run leads to; no name in XML has a blank in it.
_TARGET: Final = "leads to"
# By the element that stands for it on the slide: how it is read, and what names its part.
_DRAWN: Final = {"chart": (chart_blocks, "id"), "relIds": (diagram_list, "dm")}


class _Deck(msgspec.Struct, frozen=True):
    """What slides share: the footers that were met, and who comments, by id."""

    footers: dict[str, None]
    authors: Mapping[str, str]


def read_pptx(package: Package, _url: str) -> Draft:
    """Return a presentation as markdown, its hidden slides too."""
    main = main_part(package, _PART)
    parts = part_relations(package, main)
    named = (node.get("id") for node in part_elements(package, main, "sldId"))
    # The sections of a presentation list its slides once more, by other numbers.
    listed = [parts[name] for name in named if name in parts]
    footers: dict[str, None] = {}
    deck = _Deck(footers, dict(_authors(package)))
    read = (_slide(package, part, at, deck) for at, part in enumerate(listed[:_MAX_SLIDES], 1))
    slides = [slide for slide in read if slide]
    is_cut = len(listed) > _MAX_SLIDES
    notes = (f"only the first {_MAX_SLIDES} of {len(listed)} slides",) if is_cut else ()
    return presentation_draft(slides, footer=" · ".join(footers), notes=notes)


def _slide(package: Package, part: str, number: int, deck: _Deck) -> Slide | None:
    """Return one slide, None where there is none; add its footer to those there are."""
    slide = next(part_elements(package, part, "sld"), None)
    if slide is None:
        return None
    parts = part_relations(package, part)
    _point(slide, parts)
    shapes = list(_shapes(slide))
    texts = (_flat(shape) for shape in shapes if _role(shape) in _FOOTERS)
    deck.footers.update(dict.fromkeys(text for text in texts if text))
    title = next((_flat(shape, linked=False) for shape in shapes if _role(shape) in _TITLES), "")
    bodies = [
        _drawn(package, parts, shape) if shape.name in _DRAWN else _body(shape)
        for shape in shapes
        if _role(shape) not in _TITLES
    ]
    is_hidden = slide.get("show") in ("0", "false")
    comments = _comments(package, parts, deck.authors)
    return Slide(number, title, [*bodies, _spoken(package, parts), comments], is_hidden)


def _point(slide: XmlNode, parts: Mapping[str, str]) -> None:
    """Write into runs that are links where they lead to, which the slide's relations say."""
    if any("://" in target or target.startswith("mailto:") for target in parts.values()):
        for run in (node for node in slide.walk() if node.name == "r"):
            clicked = run.first("rPr", "hlinkClick")
            if clicked:
                run.attributes[_TARGET] = parts.get(clicked.get("id"), "")


def _shapes(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the shapes and tables of a slide in order, also those in groups."""
    for child in node.nodes():
        if child.name in ("sp", "tbl", "pic") or child.name in _DRAWN:
            yield child
        elif child.name != "Fallback":
            yield from _shapes(child)


def _drawn(package: Package, parts: Mapping[str, str], shape: XmlNode) -> str:
    """Return what a chart or a diagram says, which is in a part of its own."""
    read, attribute = _DRAWN[shape.name]
    return read(package, parts.get(shape.get(attribute), ""))


def _role(shape: XmlNode) -> str:
    """Return what a placeholder is for, empty for a shape of its own."""
    mark = shape.first("nvSpPr", "nvPr", "ph")
    return mark.get("type") if mark else ""


def _body(shape: XmlNode) -> str:
    if shape.name == "tbl":
        rows = [[_flat(cell) for cell in row.nodes("tc")] for row in shape.nodes("tr")]
        return markdown_table(rows)
    if shape.name == "pic":
        about = shape.first("nvPicPr", "cNvPr")
        words = " ".join(about.get("descr").split()) if about else ""
        return f"[IMAGE: {disarm_pictures(words)}]" if words else ""
    return "" if _role(shape) in _FURNITURE else "\n".join(_items(shape))


def _items(shape: XmlNode) -> Iterator[str]:
    """Yield a shape's paragraphs as items of a list, indented by their level."""
    for paragraph in _paragraphs(shape):
        text = _words(paragraph)
        about = paragraph.first("pPr")
        level = about.get("lvl") if about else ""
        deep = min(int(level), _MAX_LIST_DEPTH) if level in {*"12345678"} else 0
        if text:
            yield f"{'  ' * deep}- {text}"


def _flat(node: XmlNode, *, linked: bool = True) -> str:
    words = (_words(each, linked=linked) for each in _paragraphs(node))
    return " ".join(text for text in words if text)


def _paragraphs(node: XmlNode) -> Iterator[XmlNode]:
    return (nodes for nodes in node.walk() if nodes.name == "p")


def _words(paragraph: XmlNode, *, linked: bool = True) -> str:
    """Return a paragraph's text on one line."""
    return disarm_pictures(" ".join("".join(_pieces(paragraph, linked=linked)).split()))


def _pieces(node: XmlNode, *, linked: bool) -> Iterator[str]:
    for child in node.nodes():
        if child.name in _WRITTEN:
            yield with_symbols(_WRITTEN[child.name](child), _fonts(node))
        elif linked and child.get(_TARGET):
            yield markdown_link("".join(_pieces(child, linked=False)), child.get(_TARGET))
        elif child.name != "Fallback":
            inside = _pieces(child, linked=linked)
            yield from map(superscript, inside) if _is_raised(child) else inside


def _fonts(run: XmlNode) -> Iterator[str]:
    """Yield the fonts that a run says it is set in; that of signs first."""
    for name in ("sym", "latin", "ea", "cs"):
        font = run.first("rPr", name)
        yield font.get("typeface") if font else ""


def _is_raised(run: XmlNode) -> bool:
    """Tell whether a run stands above the line, by so much of a thousandth of a per cent."""
    about = run.first("rPr")
    return about is not None and about.get("baseline")[:1] in {*"123456789"}


def _authors(package: Package) -> Iterator[tuple[str, str]]:
    """Yield who comments; the second part is that of PowerPoint from 2021 on."""
    for part, name in (("ppt/commentAuthors.xml", "cmAuthor"), ("ppt/authors.xml", "author")):
        for node in part_elements(package, part, name):
            yield node.get("id"), node.get("name")


def _comments(package: Package, parts: Mapping[str, str], authors: Mapping[str, str]) -> str:
    """Return the comments on a slide and the answers to them, an item each."""
    lines: list[str] = []
    for part in parts.values():
        if "/comments/" in part:
            for node in part_elements(package, part, "cm"):
                for said in (each for each in node.walk() if each.name in ("cm", "reply")):
                    text = said.first("text") or said.first("txBody")
                    words = text.words() if text else ""
                    if words.strip() and len(lines) < MAX_COMMENTS:
                        lines.append(comment_line(authors.get(said.get("authorId"), ""), "", words))
    return comments_list(lines)


def _spoken(package: Package, parts: Mapping[str, str]) -> str:
    """Return what the speaker wrote for herself, empty when there is nothing."""
    notes = [name for name in parts.values() if "/notesSlides/" in name]
    slide = next(part_elements(package, notes[0], "notes"), None) if notes else None
    shapes = _shapes(slide) if slide else ()
    text = " ".join(_flat(shape) for shape in shapes if _role(shape) == "body")
    return f"Notes: {text}" if text else ""


PACKAGE_READERS: Final = {"pptx": read_pptx}
