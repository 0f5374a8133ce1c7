"""What documents of all kinds have: relations between their parts, and words about themselves."""

from ...dates import iso_date
from ..draft import Draft
from .package import Package, relative_part
from .xml_elements import part_elements


def part_relations(package: Package, part: str) -> dict[str, str]:
    """Return where the ids used in a part point to; a link out keeps its URL."""
    folder, _, name = part.rpartition("/")
    place = {}
    for node in part_elements(package, f"{folder}/_rels/{name}.rels", "Relationship"):
        target = node.get("Target")
        outside = node.get("TargetMode") == "External"
        place[node.get("Id")] = target if outside else relative_part(part, target)
    return place


def main_part(package: Package, default_part: str) -> str:
    """Return the main part of a document: ``default_part``, else the one its relations name.

    ISO/IEC 29500-2, 8.3: the package itself has a relation to it, whatever it is called.
    """
    if package.has(default_part):
        return default_part
    for node in part_elements(package, "_rels/.rels", "Relationship"):
        if node.get("Type").endswith("/officeDocument"):
            return relative_part("", node.get("Target"))
    return default_part


def add_core_properties(package: Package, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the title, author, date and language that the document tells."""
    properties: dict[str, str] = {}
    for part in _ABOUT:
        for node in part_elements(package, part, *_PROPERTIES):
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
