"""Taking documents in."""

from pathlib import Path

from returns.result import Failure, Result, Success

from webseam.adapters.features.index import ingestion
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.ingestion import IngestItem, IngestResult, ingest_items
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.sqlite import open_for_writing
from webseam.ports import SourceUnreadable, WebError

from .shelf import lent, reading, shelf, urls

UNREADABLE = SourceUnreadable(reason="it is blank")


def _items(*names: str) -> list[IngestItem]:
    return [IngestItem(location=name, url=f"https://{name}.example/", source="s") for name in names]


def _read(item: IngestItem, known: bytes | None) -> Result[IndexDocument | None, WebError]:
    if item.location == "bad":
        return Failure(UNREADABLE)
    document = IndexDocument(
        url=item.url, text=f"about {item.location}", digest=item.location.encode()
    )
    return Success(None if known == document.digest else document)


def _take(index: DocumentIndex, *names: str) -> list[tuple[str, str]]:
    calls: list[IngestResult] = []
    ingest_items(index, _items(*names), _read, calls.append).unwrap()
    return [(each.item.location, each.outcome) for each in calls]


def test_each_item_is_reported_once_and_in_order(tmp_path: Path) -> None:
    index = shelf(tmp_path)

    assert _take(index, "a", "bad", "b") == [("a", "added"), ("bad", "failed"), ("b", "added")]
    assert urls(index, "about") == ["https://a.example/", "https://b.example/"]


def test_known_documents_are_not_read_again(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    _take(index, "a")

    assert _take(index, "a", "b") == [("a", "unchanged"), ("b", "added")]
    assert _take(index, "a", "bad") == [("a", "unchanged"), ("bad", "failed")]


def test_a_failure_comes_with_its_reason(tmp_path: Path) -> None:
    calls: list[IngestResult] = []

    ingest_items(shelf(tmp_path), _items("bad"), _read, calls.append).unwrap()

    assert [each.error for each in calls] == [UNREADABLE]


def test_more_items_than_are_read_at_once_are_all_taken(tmp_path: Path) -> None:
    names = [f"n{number}" for number in range(ingestion._MAX_ITEMS_AHEAD * 4 + 3)]  # noqa: SLF001

    assert _take(shelf(tmp_path), *names) == [(name, "added") for name in names]


def test_reported_document_is_already_stored(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    reader = reading(tmp_path / "index.sqlite").unwrap()
    entries: list[bool] = []

    def look(taken: IngestResult) -> None:
        entries.append(reader.page(taken.item.url).unwrap() is not None)

    long = [IndexDocument(url=f"https://{n}.example/", text="words " * 40_000) for n in range(6)]
    items = _items(*"012345")
    ingest_items(index, items, lambda item, _: Success(long[int(item.location)]), look).unwrap()

    assert entries == [True] * 6


def test_an_index_that_cannot_be_written_ends_the_work(tmp_path: Path) -> None:
    connection = lent(open_for_writing(tmp_path / "i", INDEX).unwrap())
    connection.execute("PRAGMA query_only = 1")
    calls: list[IngestResult] = []

    done = ingest_items(
        DocumentIndex(connection, tmp_path / "i", float), _items("a"), _read, calls.append
    )

    assert done.failure() == INDEX.file_error("read_only")
    assert calls == []


def test_an_index_that_cannot_be_read_ends_the_work(tmp_path: Path) -> None:
    shelf(tmp_path).close()
    path = tmp_path / "index.sqlite"
    path.write_bytes(path.read_bytes()[:8192] + b"\xff" * 200_000)

    done = ingest_items(reading(path).unwrap(), _items("a"), _read, print)

    assert done.failure() == INDEX.file_error("corrupt")


def test_after_many_passages_the_index_is_tidied(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    text = "\n\n".join(f"Paragraph {number}. " + "words of it " * 150 for number in range(700))
    long = [IndexDocument(url=f"https://{n}.example/", text=text) for n in range(3)]

    ingest_items(
        index, _items("0", "1", "2"), lambda item, _: Success(long[int(item.location)]), print
    ).unwrap()

    assert index.statistics().unwrap().passages > 2000
