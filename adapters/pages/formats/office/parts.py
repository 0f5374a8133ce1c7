"""What documents of all kinds have: relations between their parts, and words about themselves."""

from ...dates import iso_date
from ..draft import Draft
from .package import Package, beside
from .xml import nodes_of


def relations(package: Package, part: str) -> dict[str, str]:
    """Return where the ids used in a part point to; a link out keeps its URL."""
    folder, _, name = part.rpartition("/")
    place = {}
    for node in nodes_of(package, f"{folder}/_rels/{name}.rels", "Relationship"):
        target = node.get("Target")
        outside = node.get("TargetMode") == "External"
        place[node.get("Id")] = target if outside else beside(part, target)
    return place


def main_part(package: Package, usual: str) -> str:
    """Return the part that a document begins with: ``usual``, else where its relations point.

    ISO/IEC 29500-2, 8.3: the package itself has a relation to it, whatever it is called.
    """
    if package.has(usual):
        return usual
    for node in nodes_of(package, "_rels/.rels", "Relationship"):
        if node.get("Type").endswith("/officeDocument"):
            return beside("", node.get("Target"))
    return usual


def described(package: Package, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the title, author, date and language that the document tells."""
    properties: dict[str, str] = {}
    for part in _ABOUT:
        for node in nodes_of(package, part, *_PROPERTIES):
            properties.setdefault(_PROPERTIES[node.name], node.words())
    return Draft(
        content=draft.content,
        title=properties.get("title") or draft.title or file_name,
        author=properties.get("author") or draft.author,
        published_at=iso_date(properties.get("date", "")) or draft.published_at,
        language=properties.get("language") or draft.language,
        description=properties.get("description") or draft.description,
        site_name=draft.site_name,
        notes=draft.notes,
    )


# Where Office and OpenDocument keep what a document says about itself.
_ABOUT = ("docProps/core.xml", "meta.xml")
_PROPERTIES = {
    "title": "title",
    "initial-creator": "author",
    "creation-date": "date",
    "creator": "author",
    "created": "date",
    "language": "language",
    "description": "description",
    "subject": "description",
}
