"""A small index, made the way these tests need it."""

from pathlib import Path

from webseam.adapters.local.documents import Document
from webseam.adapters.local.index import LocalIndex
from webseam.ports import WebSearchQuery

PUMP = Document(
    url="https://heat.example/pumps",
    title="Heat pumps",
    text="# Heat pumps\n\nA heat pump moves warmth from outside into a house.",
    published="2026-01-31",
)
BOILER = Document(
    url="https://docs.heat.example/boilers",
    title="Gas boilers",
    text="A boiler burns gas. It needs no pump to heat a house, and is loud.",
    published="2025-06-01",
)
BREAD = Document(
    url="https://bread.example/rye", title="Rye bread", text="Rye, water and salt make a dough."
)


def shelf(folder: Path, *documents: Document) -> LocalIndex:
    """Return an index in ``folder`` with these documents."""
    index = LocalIndex.writing(folder / "index.sqlite").unwrap()
    index.add(documents).unwrap()
    return index


def urls(index: LocalIndex, query: str, **filters: object) -> list[object]:
    """Return the URLs that a query finds, best first."""
    asked = WebSearchQuery(query=query, **filters)  # type: ignore[arg-type]
    return [row["url"] for row in index.search(asked).unwrap()]
