"""Patents as the USPTO wrote them from 2001 to 2004, in the words of those since.

Grants after ST.32 (``PATDOC``), and applications (``patent-application-publication``).
https://bulkdata.uspto.gov/
"""

from collections.abc import Mapping
from typing import Final

from ..office.xml import Node
from .translation import translated
from .words import flat

_GRANT: Final = {
    "SDOAB": "abstract",
    "SDODE": "description",
    "SDOCL": "claims",
    "B540": "invention-title",
    "B721": "inventor",
    "FNM": "first-name",
    "SNM": "last-name",
    "H": "heading",
    "PARA": "p",
    "CLM": "claim",
    "UL": "list",
    "OL": "list",
    "LI": "list-item",
    "TABLE-US": "tables",
    "SP": "sup",
    "B140": "date-of-publication",
}
_APPLICATION: Final = {
    "subdoc-abstract": "abstract",
    "subdoc-description": "description",
    "subdoc-claims": "claims",
    "title-of-invention": "invention-title",
    "first-named-inventor": "inventor",
    "given-name": "first-name",
    "family-name": "last-name",
    "paragraph": "p",
    "unordered-list": "list",
    "ordered-list": "list",
    "table-cwu": "tables",
    "superscript": "sup",
    "subdoc-bibliographic-information/document-id": "date-of-publication",
}
OLD_PATENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "PATDOC": _GRANT,
    "patent-application-publication": _APPLICATION,
}


def renewed(root: Node) -> Node:
    """Return an older patent as a newer one, with its day where these have it."""
    patent = translated(root, OLD_PATENTS[root.name])
    place = next((each for each in patent.walk() if each.name == "date-of-publication"), None)
    days = (
        [each for each in place.walk() if each.name in ("DATE", "document-date")] if place else []
    )
    patent.attributes["date-publ"] = flat(days[0]) if days else ""
    return patent
