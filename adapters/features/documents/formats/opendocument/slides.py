"""The slides of an OpenDocument presentation."""

from typing import Final

from ..draft import Cut, Draft, StepAllowance
from ..office.comments_and_margins import MAX_COMMENTS, comment_line, comments_list
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from ..slides import Slide, slides_draft
from .odf_styles import CONTENT_PART, OdfStyles, object_formula, read_embedded_object, read_styles
from .text import (
    HIDDEN_ELEMENTS,
    MAX_ODF_STEPS,
    author_and_text,
    block_markdown,
    one_line_text,
    paragraph_markdown,
    picture_description,
)


def read_odp(package: Package, url: str) -> Draft:
    """Return a presentation as markdown, each slide under its number and title."""
    styles = read_styles(package, url)
    allowance = StepAllowance(MAX_ODF_STEPS)
    slides: list[Slide] = []
    for number, page in enumerate(part_elements(package, CONTENT_PART, "page"), start=1):
        if allowance.is_spent:
            return slides_draft(
                slides, cuts=(Cut("work", f"only the first {number - 1:,} slides"),)
            )
        allowance.spend(page.size)
        slides.append(_read_slide(page, number, styles))
    return slides_draft(slides)


def _read_slide(page: XmlNode, number: int, styles: OdfStyles) -> Slide:
    frames = [node for node in page.elements() if node.name not in ("notes", "annotation")]
    titles = [frame for frame in frames if frame.attribute("class") == "title"]
    title = " ".join(one_line_text(titles[0], styles).split()) if titles else ""
    bodies = [_frame_markdown(frame, styles) for frame in frames if frame not in titles]
    notes = page.find("notes")
    speaker_notes = one_line_text(notes, styles) if notes else ""
    annotations = [author_and_text(frame) for frame in page.elements("annotation")][:MAX_COMMENTS]
    comments = [comment_line(name, "", text) for name, text in annotations if text.strip()]
    pieces = [*bodies, f"Notes: {speaker_notes}" if speaker_notes else "", comments_list(comments)]
    return Slide(number, title, pieces, page.attribute("style-name") in styles.hidden)


def _frame_markdown(frame: XmlNode, styles: OdfStyles) -> str:
    """Return the content of a frame: its text as a list, its tables, its picture's description."""
    pieces = [picture_description(frame, styles)] if frame.name == "frame" else []
    for child in frame.elements():
        if child.name in ("p", "h"):
            text = paragraph_markdown(child, styles).strip()
            pieces += [f"- {text}"] if text else []
        elif child.name in ("list", "table"):
            pieces.append(block_markdown(child, styles))
        elif child.name not in HIDDEN_ELEMENTS:
            embedded = read_embedded_object(child, styles) if child.name == "object" else child
            pieces.append(object_formula(embedded) or _frame_markdown(embedded, styles))
    return "\n".join(piece for piece in pieces if piece)


PACKAGE_READERS: Final = {"odp": read_odp}
