"""PowerPoint: each slide as a section, its text as a list, its tables, charts and notes below."""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Final

import msgspec

from webseam.adapters.values.json_values import parse_whole_number
from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from ..draft import Cut, Draft, left_out_parts
from ..markdown_writing import markdown_link, markdown_table
from ..slides import Slide, slides_draft
from ..symbols import replace_private_letters
from .charts import chart_blocks, diagram_list
from .comments_and_margins import MAX_COMMENTS, comment_line, comments_list
from .formulas import omml_formula
from .package import Package
from .package_parts import main_part, part_relations
from .slide_colours import SlideColours
from .xml_elements import XmlNode, part_elements

_MAX_SLIDES: Final = 500
_TITLE_ROLES: Final = frozenset({"title", "ctrTitle"})
# The master puts these on every slide; footers are shown once, at the end.
_MASTER_ROLES: Final = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
_FOOTER_ROLES: Final = frozenset({"ftr", "hdr"})
_MAX_LIST_DEPTH: Final = 8
# In hundredths of a point.
_MAX_TINY_SIZE: Final = 100
_TEXT_WRITERS: Final[dict[str, Callable[[XmlNode], str]]] = {
    "t": XmlNode.inner_text,
    "br": lambda _: " ",
    "oMath": omml_formula,
    "oMathPara": omml_formula,
}
# An attribute for the URL of a run; names in XML have no blanks, so it cannot clash.
_LINK_TARGET_ATTRIBUTE: Final = "leads to"
# By element: the reader, and the attribute with the id of the part.
_GRAPHIC_READERS: Final = {"chart": (chart_blocks, "id"), "relIds": (diagram_list, "dm")}


class _Deck(msgspec.Struct, frozen=True):
    """The footers of all slides, the authors of comments by id, and texts that are hidden."""

    footers: dict[str, None]
    authors: Mapping[str, str]
    colours: SlideColours
    hidden: list[str] = []


def read_pptx(package: Package, _url: str) -> Draft:
    """Return a presentation as markdown, its hidden slides too."""
    main = main_part(package, "ppt/presentation.xml")
    parts = part_relations(package, main)
    ids = (node.attribute("id") for node in part_elements(package, main, "sldId"))
    # Sections list the slides again, by ids that are no relations.
    slide_parts = [parts[name] for name in ids if name in parts]
    deck = _Deck({}, dict(_comment_authors(package)), SlideColours(package))
    numbered = enumerate(slide_parts[:_MAX_SLIDES], 1)
    read = (_read_slide(package, part, number, deck) for number, part in numbered)
    slides = [slide for slide in read if slide]
    is_truncated = len(slide_parts) > _MAX_SLIDES
    note = f"only the first {_MAX_SLIDES} of {len(slide_parts)} slides"
    cuts = (Cut("slides", note),) if is_truncated else ()
    draft = slides_draft(slides, footer=" · ".join(deck.footers), cuts=cuts)
    return msgspec.structs.replace(draft, parts=left_out_parts("hidden", *deck.hidden))


def _read_slide(package: Package, part: str, number: int, deck: _Deck) -> Slide | None:
    """Return a slide, None where its part is missing; add its footer to the deck."""
    slide = next(part_elements(package, part, "sld"), None)
    if slide is None:
        return None
    parts = part_relations(package, part)
    # Add the URL to runs that are links; the slide's relations have it.
    if any("://" in target or target.startswith("mailto:") for target in parts.values()):
        for run in slide.subtree("r"):
            clicked = run.find("rPr", "hlinkClick")
            if clicked:
                run.attributes[_LINK_TARGET_ATTRIBUTE] = parts.get(clicked.attribute("id"), "")
    faint = {id(run) for run in deck.colours.hidden_runs(slide, parts)}
    deck.hidden.extend(_take_hidden_texts(slide, faint))
    shapes = list(_slide_shapes(slide))
    footers = (shape for shape in shapes if _placeholder_role(shape) in _FOOTER_ROLES)
    deck.footers.update(dict.fromkeys(filter(None, map(_shape_line, footers))))
    titles = [shape for shape in shapes if _placeholder_role(shape) in _TITLE_ROLES]
    title = _shape_line(titles[0], linked=False) if titles else ""
    bodies = [
        _graphic_text(package, parts, shape)
        if shape.name in _GRAPHIC_READERS
        else _shape_markdown(shape)
        for shape in shapes
        if shape not in titles
    ]
    is_hidden = slide.attribute("show") in ("0", "false")
    comments = _slide_comments(package, parts, deck.authors)
    return Slide(number, title, [*bodies, _speaker_notes(package, parts), comments], is_hidden)


def _take_hidden_texts(slide: XmlNode, faint: Container[int]) -> Iterator[str]:
    """Empty hidden shapes, runs of at most a point, and faint runs by id; yield their texts."""
    for node in slide.subtree():
        about = node.find("nvSpPr", "cNvPr")
        properties = node.find("rPr")
        size = parse_whole_number(properties.attribute("sz")) if properties else None
        is_tiny = size is not None and size <= _MAX_TINY_SIZE
        is_hidden = about is not None and about.attribute("hidden") in ("1", "true")
        if is_tiny or is_hidden or id(node) in faint:
            yield from (text.inner_text() for text in node.subtree("t"))
            node.children = []


def _slide_shapes(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the shapes and tables of a slide in order, also those in groups."""
    for child in node.elements():
        if child.name in ("sp", "tbl", "pic") or child.name in _GRAPHIC_READERS:
            yield child
        elif child.name != "Fallback":
            yield from _slide_shapes(child)


def _graphic_text(package: Package, parts: Mapping[str, str], shape: XmlNode) -> str:
    """Return the text of a chart or a diagram, which is in another part."""
    read, attribute = _GRAPHIC_READERS[shape.name]
    return read(package, parts.get(shape.attribute(attribute), ""))


def _placeholder_role(shape: XmlNode) -> str:
    """Return the type of a placeholder, empty for another shape."""
    mark = shape.find("nvSpPr", "nvPr", "ph")
    return mark.attribute("type") if mark else ""


def _shape_markdown(shape: XmlNode) -> str:
    if shape.name == "tbl":
        rows = (row.elements("tc") for row in shape.elements("tr"))
        return markdown_table([list(map(_shape_line, cells)) for cells in rows])
    if shape.name == "pic":
        about = shape.find("nvPicPr", "cNvPr")
        description = " ".join(about.attribute("descr").split()) if about else ""
        return f"[IMAGE: {disarm_pictures(description)}]" if description else ""
    is_master_text = _placeholder_role(shape) in _MASTER_ROLES
    return "" if is_master_text else "\n".join(_shape_items(shape))


def _shape_items(shape: XmlNode) -> Iterator[str]:
    """Yield a shape's paragraphs as items of a list, indented by their level."""
    for paragraph in shape.subtree("p"):
        text = _paragraph_line(paragraph)
        properties = paragraph.find("pPr")
        level = properties.attribute("lvl") if properties else ""
        depth = min(int(level), _MAX_LIST_DEPTH) if level in {*"12345678"} else 0
        if text:
            yield f"{'  ' * depth}- {text}"


def _shape_line(node: XmlNode, *, linked: bool = True) -> str:
    lines = (_paragraph_line(paragraph, linked=linked) for paragraph in node.subtree("p"))
    return " ".join(text for text in lines if text)


def _paragraph_line(paragraph: XmlNode, *, linked: bool = True) -> str:
    text = "".join(_paragraph_pieces(paragraph, linked=linked))
    return disarm_pictures(" ".join(text.split()))


def _paragraph_pieces(node: XmlNode, *, linked: bool) -> Iterator[str]:
    for child in node.elements():
        if child.name in _TEXT_WRITERS:
            yield replace_private_letters(_TEXT_WRITERS[child.name](child), _run_fonts(node))
        elif linked and child.attribute(_LINK_TARGET_ATTRIBUTE):
            text = "".join(_paragraph_pieces(child, linked=False))
            yield markdown_link(text, child.attribute(_LINK_TARGET_ATTRIBUTE))
        elif child.name != "Fallback":
            inside = _paragraph_pieces(child, linked=linked)
            yield from map(superscript, inside) if _is_superscript_run(child) else inside


def _run_fonts(run: XmlNode) -> Iterator[str]:
    """Yield the fonts of a run; the symbol font first."""
    for name in ("sym", "latin", "ea", "cs"):
        font = run.find("rPr", name)
        yield font.attribute("typeface") if font else ""


def _is_superscript_run(run: XmlNode) -> bool:
    """Tell whether a run is superscript: its baseline is a positive number."""
    properties = run.find("rPr")
    return properties is not None and properties.attribute("baseline")[:1] in {*"123456789"}


def _comment_authors(package: Package) -> Iterator[tuple[str, str]]:
    """Yield the authors of comments by id; PowerPoint 2021 and later use the second part."""
    for part, name in (("ppt/commentAuthors.xml", "cmAuthor"), ("ppt/authors.xml", "author")):
        for node in part_elements(package, part, name):
            yield node.attribute("id"), node.attribute("name")


def _slide_comments(package: Package, parts: Mapping[str, str], authors: Mapping[str, str]) -> str:
    lines: list[str] = []
    for part in parts.values():
        if "/comments/" in part:
            for node in part_elements(package, part, "cm"):
                for comment in node.subtree("cm", "reply"):
                    text = comment.find("text") or comment.find("txBody")
                    content = text.inner_text() if text else ""
                    if content.strip():
                        author = authors.get(comment.attribute("authorId"), "")
                        lines.append(comment_line(author, "", content))
    return comments_list(lines[:MAX_COMMENTS])


def _speaker_notes(package: Package, parts: Mapping[str, str]) -> str:
    notes = [name for name in parts.values() if "/notesSlides/" in name]
    slide = next(part_elements(package, notes[0], "notes"), None) if notes else None
    shapes = _slide_shapes(slide) if slide else ()
    bodies = (shape for shape in shapes if _placeholder_role(shape) == "body")
    text = " ".join(map(_shape_line, bodies))
    return f"Notes: {text}" if text else ""


PACKAGE_READERS: Final = {"pptx": read_pptx}
