"""The slides of an OpenDocument presentation."""

from typing import Final

from ..draft import Draft, StepAllowance
from ..office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from ..slides import Slide, presentation_draft
from .odf_styles import PART, OdfStyles, object_formula, open_object, read_odf_styles
from .text import (
    MAX_ODF_STEPS,
    UNSEEN,
    block_markdown,
    comment_text,
    described_picture,
    paragraph_inline,
    paragraphs_line,
)


def read_presentation(package: Package, url: str) -> Draft:
    """Return a presentation as markdown, each slide under its number and title."""
    look = read_odf_styles(package, url)
    allowance = StepAllowance(MAX_ODF_STEPS)
    slides: list[Slide] = []
    for number, page in enumerate(part_elements(package, PART, "page"), start=1):
        if allowance.is_spent:
            return presentation_draft(slides, notes=(f"only the first {number - 1:,} slides",))
        allowance.spend(page.size)
        slides.append(_slide(page, number, look))
    return presentation_draft(slides)


def _slide(page: XmlNode, number: int, look: OdfStyles) -> Slide:
    frames = [node for node in page.nodes() if node.name not in ("notes", "annotation")]
    titles = [each for each in frames if each.get("class") == "title"]
    title = " ".join(paragraphs_line(titles[0], look).split()) if titles else ""
    bodies = [_boxed(each, look) for each in frames if each not in titles]
    notes = page.first("notes")
    spoken = paragraphs_line(notes, look) if notes else ""
    said = [comment_text(each) for each in page.nodes("annotation")][:MAX_COMMENTS]
    comments = [comment_line(author, "", text) for author, text in said if text.strip()]
    pieces = [*bodies, f"Notes: {spoken}" if spoken else "", comments_list(comments)]
    return Slide(number, title, pieces, page.get("style-name") in look.hidden)


def _boxed(frame: XmlNode, look: OdfStyles) -> str:
    """Return what is in a frame: its text as a list, its tables, what its picture shows."""
    pieces = [described_picture(frame, look)] if frame.name == "frame" else []
    for child in frame.nodes():
        if child.name in ("p", "h"):
            text = paragraph_inline(child, look).strip()
            pieces += [f"- {text}"] if text else []
        elif child.name in ("list", "table"):
            pieces.append(block_markdown(child, look))
        elif child.name not in UNSEEN:
            pieces.append(object_formula(_slides_whole(child, look)) or _boxed(child, look))
    return "\n".join(piece for piece in pieces if piece)


def _slides_whole(node: XmlNode, look: OdfStyles) -> XmlNode:
    return open_object(node, look.package, look.objects) if node.name == "object" else node


PACKAGE_READERS: Final = {"odp": read_presentation}
