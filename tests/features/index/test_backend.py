"""The index as a backend."""

import asyncio
from pathlib import Path

from webseam.adapters.features.index.backend import IndexBackend
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.search import LOOSENED_WARNING
from webseam.adapters.features.index.store import DocumentIndex
from webseam.kernel import WebDeps, canonical_url, web_extract, web_search
from webseam.kernel.policy import Policy
from webseam.kernel.policy.policy_rules import allow_files
from webseam.ports import HttpStatus

from .shelf import BREAD, PUMP, reading, shelf

FILE = IndexDocument(url="http://file.localhost/notes/a.md", title="Notes", text="zebra notes")


def _deps(index: DocumentIndex) -> WebDeps:
    backend = IndexBackend(index, canonical_url)
    return WebDeps(backend=backend, policy=allow_files(Policy()))


def test_every_row_of_the_index_keeps_the_row_law(tmp_path: Path) -> None:
    deps = _deps(shelf(tmp_path, PUMP, BREAD, FILE))

    outcome = asyncio.run(web_search({"query": "pump rye zebra"}, deps)).unwrap()

    assert {row.url for row in outcome.rows} == {PUMP.url, BREAD.url, FILE.url}
    assert outcome.receipt.backend == "index"


def test_documents_of_the_index_can_be_extracted(tmp_path: Path) -> None:
    deps = _deps(shelf(tmp_path, PUMP, FILE))

    for document in (PUMP, FILE):
        assert asyncio.run(web_extract(document.url, deps)).unwrap().content == document.text


def test_a_page_that_is_not_in_the_index_is_not_found(tmp_path: Path) -> None:
    failed = asyncio.run(web_extract("https://nowhere.example/", _deps(shelf(tmp_path)))).failure()

    assert isinstance(failed, HttpStatus)
    assert (failed.backend, failed.status) == ("index", 404)


def test_trouble_with_the_file_is_a_failure_of_the_call(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP)
    index.close()
    path = tmp_path / "index.sqlite"
    path.write_bytes(path.read_bytes()[:8192] + b"\xff" * 200_000)
    deps = _deps(reading(path).unwrap())

    assert asyncio.run(web_search({"query": "x"}, deps)).failure().kind == "store_failed"
    assert asyncio.run(web_extract(PUMP.url, deps)).failure().kind == "store_failed"


def test_closing_lets_go_of_the_file(tmp_path: Path) -> None:
    backend = IndexBackend(shelf(tmp_path), canonical_url)

    asyncio.run(backend.aclose())

    assert list(tmp_path.glob("*-wal")) == []


def test_the_receipt_says_that_quoted_words_were_looked_for_one_by_one(tmp_path: Path) -> None:
    deps = _deps(shelf(tmp_path, PUMP))

    outcome = asyncio.run(web_search({"query": '"warmth pump"'}, deps)).unwrap()

    assert ([row.url for row in outcome.rows], outcome.receipt.warnings) == (
        [PUMP.url],
        (LOOSENED_WARNING,),
    )
