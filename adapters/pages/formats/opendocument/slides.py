"""The slides of an OpenDocument presentation."""

from ..draft import Allowance, Draft
from ..office.margins import MOST_COMMENTS, comment_line, comments_list
from ..office.package import Package
from ..office.xml import Node, nodes_of
from ..slides import Slide, presentation
from .objects import formula_of, opened
from .styles import PART, Look, look_of
from .text import MOST_STEPS, UNSEEN, block, described_picture, flat, inline, remark_of


def read_presentation(package: Package, url: str) -> Draft:
    """Return a presentation as markdown, each slide under its number and title."""
    look = look_of(package, url)
    allowance = Allowance(MOST_STEPS)
    slides: list[Slide] = []
    for number, page in enumerate(nodes_of(package, PART, "page"), start=1):
        if allowance.is_spent:
            return presentation(slides, notes=(f"only the first {number - 1:,} slides",))
        allowance.spend(page.size)
        slides.append(_slide(page, number, look))
    return presentation(slides)


def _slide(page: Node, number: int, look: Look) -> Slide:
    frames = [node for node in page.nodes() if node.name not in ("notes", "annotation")]
    titles = [each for each in frames if each.get("class") == "title"]
    title = " ".join(flat(titles[0], look).split()) if titles else ""
    bodies = [_boxed(each, look) for each in frames if each not in titles]
    notes = page.first("notes")
    spoken = flat(notes, look) if notes else ""
    said = [remark_of(each) for each in page.nodes("annotation")][:MOST_COMMENTS]
    comments = [comment_line(author, "", text) for author, text in said if text.strip()]
    pieces = [*bodies, f"Notes: {spoken}" if spoken else "", comments_list(comments)]
    return Slide(number, title, pieces, page.get("style-name") in look.hidden)


def _boxed(frame: Node, look: Look) -> str:
    """Return what is in a frame: its text as a list, its tables, what its picture shows."""
    pieces = [described_picture(frame, look)] if frame.name == "frame" else []
    for child in frame.nodes():
        if child.name in ("p", "h"):
            text = inline(child, look).strip()
            pieces += [f"- {text}"] if text else []
        elif child.name in ("list", "table"):
            pieces.append(block(child, look))
        elif child.name not in UNSEEN:
            pieces.append(formula_of(_whole(child, look)) or _boxed(child, look))
    return "\n".join(piece for piece in pieces if piece)


def _whole(node: Node, look: Look) -> Node:
    return opened(node, look.package, look.objects) if node.name == "object" else node
