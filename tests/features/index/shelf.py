"""A small index, made the way these tests need it."""

from pathlib import Path
from typing import Protocol, TypeVar

from returns.result import Result

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.sqlite import StoreError
from webseam.ports import WebSearchQuery


class Closable(Protocol):
    def close(self) -> None: ...


Lent = TypeVar("Lent", bound=Closable)
_lent: list[Closable] = []

PUMP = IndexDocument(
    url="https://heat.example/pumps",
    title="Heat pumps",
    text="# Heat pumps\n\nA heat pump moves warmth from outside into a house.",
    published="2026-01-31",
)
BOILER = IndexDocument(
    url="https://docs.heat.example/boilers",
    title="Gas boilers",
    text="A boiler burns gas. It needs no pump to heat a house, and is loud.",
    published="2025-06-01",
)
BREAD = IndexDocument(
    url="https://bread.example/rye", title="Rye bread", text="Rye, water and salt make a dough."
)


def lent(store: Lent) -> Lent:
    """Have a store closed when the test is over."""
    _lent.append(store)
    return store


def put_back() -> None:
    """Close what was lent; from Python 3.13 on, SQLite warns of files that nobody closes."""
    while _lent:
        _lent.pop().close()


def reading(path: Path) -> Result[DocumentIndex, StoreError]:
    return DocumentIndex.open_reader(path).map(lent)


def writing(path: Path) -> Result[DocumentIndex, StoreError]:
    return DocumentIndex.open_writer(path).map(lent)


def shelf(folder: Path, *documents: IndexDocument) -> DocumentIndex:
    """Return an index in ``folder`` with these documents."""
    index = writing(folder / "index.sqlite").unwrap()
    index.add(documents).unwrap()
    return index


def urls(index: DocumentIndex, query: str, **filters: object) -> list[object]:
    """Return the URLs that a query finds, best first."""
    query_asked = WebSearchQuery(query=query, **filters)  # type: ignore[arg-type]
    return [row["url"] for row in index.search(query_asked).unwrap()]
