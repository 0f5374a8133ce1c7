"""Relations between the parts of a package, and its metadata."""

import msgspec

from webseam.adapters.values.dates import iso_date

from ..draft import Draft
from .package import Package, relative_part
from .xml_elements import part_elements

# The metadata parts of Office and OpenDocument.
_METADATA_PARTS = ("docProps/core.xml", "meta.xml")
_PROPERTIES = {
    "title": "title", "initial-creator": "author", "creation-date": "date", "creator": "author",
    "created": "date", "language": "language", "description": "description",
    "subject": "description",
}  # fmt: skip


def part_relations(package: Package, part: str) -> dict[str, str]:
    """Return the targets of the ids used in a part; an external link keeps its URL."""
    folder, _, name = part.rpartition("/")
    targets = {}
    for node in part_elements(package, f"{folder}/_rels/{name}.rels", "Relationship"):
        target = node.attribute("Target")
        if node.attribute("TargetMode") != "External":
            target = relative_part(part, target)
        targets[node.attribute("Id")] = target
    return targets


def main_part(package: Package, default_part: str) -> str:
    """Return the main part of a document: ``default_part``, else the one its relations name.

    ISO/IEC 29500-2, 8.3: the package has a relation to it, and its name is free.
    """
    if package.has_part(default_part):
        return default_part
    for node in part_elements(package, "_rels/.rels", "Relationship"):
        if node.attribute("Type").endswith("/officeDocument"):
            return relative_part("", node.attribute("Target"))
    return default_part


def add_core_properties(package: Package, draft: Draft, file_name: str) -> Draft:
    """Return the draft with the title, author, date and language of the document."""
    properties: dict[str, str] = {}
    for part in _METADATA_PARTS:
        for node in part_elements(package, part, *_PROPERTIES):
            properties.setdefault(_PROPERTIES[node.name], node.inner_text())
    return msgspec.structs.replace(
        draft,
        title=properties.get("title") or draft.title or file_name,
        author=properties.get("author") or draft.author,
        published_at=iso_date(properties.get("date", "")) or draft.published_at,
        language=properties.get("language") or draft.language,
        description=properties.get("description") or draft.description,
    )
