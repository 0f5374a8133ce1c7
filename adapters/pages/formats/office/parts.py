"""What all three kinds of document have: relations between parts, and words about themselves."""

from ...reader.dates import iso_date
from ..outcome import Draft
from .package import Package, beside
from .xml import elements


def relations(package: Package, part: str) -> dict[str, str]:
    """Return where the ids used in a part point to; a link out keeps its URL."""
    folder, _, name = part.rpartition("/")
    found = {}
    for node in elements(package.chunks(f"{folder}/_rels/{name}.rels"), "Relationship"):
        target = node.get("Target")
        outside = node.get("TargetMode") == "External"
        found[node.get("Id")] = target if outside else beside(part, target)
    return found


def described(package: Package, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the title, author, date and language that the document tells."""
    told: dict[str, str] = {}
    for node in elements(package.chunks("docProps/core.xml"), *_PROPERTIES):
        told.setdefault(_PROPERTIES[node.name], node.words())
    return Draft(
        content=draft.content,
        title=told.get("title") or draft.title or file_name,
        author=told.get("author", ""),
        published_at=iso_date(told.get("date", "")),
        language=told.get("language", ""),
        description=told.get("description", ""),
        notes=draft.notes,
    )


_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "created": "date",
    "language": "language",
    "description": "description",
    "subject": "description",
}
