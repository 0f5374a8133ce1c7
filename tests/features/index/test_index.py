"""Documents into the index and out of it."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec

from webseam.adapters.features.index.contents import ListedDocument, Statistics
from webseam.adapters.features.index.documents import BATCH_DOCUMENTS, IndexDocument
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.sqlite import MAX_LOG_BYTES
from webseam.ports import WebSearchQuery

from .shelf import BOILER, BREAD, PUMP, lent, reading, shelf, urls, writing


def test_adding_says_what_was_new_changed_or_known(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER)
    changed = msgspec.structs.replace(BOILER, text="A boiler is a zebra.")

    assert index.add([PUMP, changed, BREAD]).unwrap() == ("unchanged", "updated", "added")
    assert urls(index, "zebra") == [BOILER.url]
    assert urls(index, "gas loud") == [BOILER.url]  # its title is still Gas boilers


def test_more_documents_than_are_prepared_at_once_are_all_added_in_order(tmp_path: Path) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://7.example/", text="old"))
    many = [
        IndexDocument(url=f"https://{n}.example/", text=f"z{n}z")
        for n in range(2 * BATCH_DOCUMENTS + 1)
    ]

    changes = index.add([*many, many[3]]).unwrap()

    expected = ["added"] * len(many)
    expected[7] = "updated"
    assert changes == (*expected, "unchanged")
    assert index.statistics().unwrap().documents == len(many)
    assert urls(index, f"z{2 * BATCH_DOCUMENTS}z z3z") == [many[3].url, many[-1].url]
    assert index.check().unwrap() is None


def test_a_document_given_twice_at_once_is_the_latter(tmp_path: Path) -> None:
    again = msgspec.structs.replace(PUMP, text="A zebra.")

    index = shelf(tmp_path, PUMP)

    assert index.add([again, PUMP, PUMP]).unwrap() == ("updated", "updated", "unchanged")
    assert urls(index, "zebra") == []
    assert urls(index, "warmth") == [PUMP.url]
    assert index.statistics().unwrap().passages == 1


def test_changed_document_is_not_found_by_its_old_words(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP)

    index.add([msgspec.structs.replace(PUMP, text="Nothing.", title="No")]).unwrap()

    assert urls(index, "warmth") == []
    assert index.statistics().unwrap().passages == 1


def test_removed_document_is_neither_found_nor_counted(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER)

    assert index.remove([PUMP.url, "https://nowhere.example/"]).unwrap() == 1

    assert urls(index, "pump") == [BOILER.url]
    assert index.page(PUMP.url).unwrap() is None
    assert index.check().unwrap() is None


def test_an_emptied_index_counts_nothing(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP, BOILER)

    index.remove([PUMP.url, BOILER.url]).unwrap()

    counted = index.statistics().unwrap()
    assert counted == Statistics(documents=0, passages=0, terms=0, sources=0, bytes=counted.bytes)
    assert urls(index, "pump") == []


def test_a_document_comes_back_as_the_page_it_was(tmp_path: Path) -> None:
    text = "".join(f"## Part {n}\n\n{'Some words. ' * 60}\n\n" for n in range(20))
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", title="Parts", text=text))

    page = index.page("https://a.example/").unwrap()

    assert page is not None
    assert (page["url"], page["title"], page["content"]) == ("https://a.example/", "Parts", text)


def test_the_list_tells_where_each_document_is_from(tmp_path: Path) -> None:
    index = lent(DocumentIndex.open_writer(tmp_path / "i", now=lambda: 12.0).unwrap())
    index.add([PUMP]).unwrap()

    assert index.documents().unwrap() == (
        ListedDocument(
            url=PUMP.url,
            location=PUMP.url,
            source=PUMP.url,
            title="Heat pumps",
            published="2026-01-31",
            passages=1,
            characters=len(PUMP.text),
            indexed_at=12.0,
        ),
    )


def test_sources_are_remembered_until_they_are_forgotten(tmp_path: Path) -> None:
    index = shelf(tmp_path)

    index.remember_sources(["/b", "/a", "/a"]).unwrap()

    assert index.sources().unwrap() == ("/a", "/b")
    assert index.forget_sources(["/a", "/c"]).unwrap() == 1
    assert index.sources().unwrap() == ("/b",)


def test_text_that_no_file_can_hold_is_stored_without_it(tmp_path: Path) -> None:
    index = shelf(tmp_path, IndexDocument(url="https://a.example/", text="zebra \ud800\x00 end"))

    page = index.page("https://a.example/").unwrap()

    assert page is not None
    assert page["content"] == "zebra ?\ufffd end"


def test_a_reader_beside_a_writer_sees_what_is_kept(tmp_path: Path) -> None:
    writer = shelf(tmp_path, PUMP)
    reader = reading(tmp_path / "index.sqlite").unwrap()

    writer.add([BREAD]).unwrap()

    assert urls(reader, "rye") == [BREAD.url]
    writer.close()
    assert urls(reader, "rye") == [BREAD.url]


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    writing(tmp_path / "new" / "index.sqlite").unwrap()

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "new" / "index.sqlite").stat().st_mode & 0o777 == 0o600


def test_tidying_changes_nothing_that_can_be_found(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    for number in range(12):
        index.add(
            [IndexDocument(url=f"https://{number}.example/", text=f"gas number{number}")]
        ).unwrap()
    before = urls(index, "gas number7")

    assert index.tidy().unwrap() is None

    assert urls(index, "gas number7") == before
    assert index.check().unwrap() is None


def test_a_passage_that_is_none_of_ours_is_damage(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    connection.execute("UPDATE passages SET headings = x'ff'")
    connection.commit()
    connection.close()
    index = lent(DocumentIndex.open_writer(tmp_path / "index.sqlite").unwrap())

    assert index.search(WebSearchQuery(query="pump")).failure() == INDEX.file_error("corrupt")
    assert index.page(PUMP.url).unwrap() is not None
    assert index.remove([PUMP.url]).unwrap() == 1


def test_tidying_gives_back_what_removing_leaves_free(tmp_path: Path) -> None:
    many = [IndexDocument(url=f"https://a.example/{n}", text=f"word{n} " * 300) for n in range(300)]
    index = shelf(tmp_path, *many)
    index.remove([each.url for each in many[:290]]).unwrap()

    index.tidy().unwrap()

    with closing(sqlite3.connect(tmp_path / "index.sqlite")) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)


def test_the_log_of_a_large_addition_does_not_stay_large(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    index.remember_sources(["/a" * (20 << 20)]).unwrap()

    index.add([BREAD]).unwrap()

    assert (tmp_path / "index.sqlite-wal").stat().st_size <= MAX_LOG_BYTES


def test_a_search_loads_nothing_that_only_writing_needs(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()
    code = (
        "import sys; from pathlib import Path;"
        "from webseam.adapters.features.index.store import DocumentIndex; from webseam.ports import WebSearchQuery;"
        "index = DocumentIndex.open_reader(Path(sys.argv[1])).unwrap();"
        "assert index.search(WebSearchQuery(query='pump')).unwrap();"
        "names = ('documents', 'intake', 'passages', 'updates');"
        "print([name for name in names if f'webseam.adapters.features.index.{name}' in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "index.sqlite")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "[]\n"
