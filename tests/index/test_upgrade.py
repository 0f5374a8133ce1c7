"""An index of the version before becomes one of this version, by itself and as a whole."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from webseam.adapters.index.backend import IndexBackend
from webseam.adapters.index.documents import IndexDocument
from webseam.adapters.index.schema import INDEX
from webseam.adapters.index.upgrade import UPGRADED
from webseam.adapters.index.words.folders import folder_of
from webseam.composition.cli.commands.index import run
from webseam.kernel import WebDeps, canonical_url, web_search
from webseam.ports import StoreFailed

from .shelf import BOILER, BREAD, PUMP, reading, shelf, urls, writing

HINDI = IndexDocument(url="https://hi.example/", text="हिन्दी एक भाषा है", language="hi")


# What version 5 changed, undone. The table of words was one of FTS5; any is dropped alike.
_BEFORE_5 = (
    "ALTER TABLE passages DROP COLUMN length",
    "UPDATE passages SET id = id * 16 + 7",
    "ALTER TABLE totals DROP COLUMN words",
    "UPDATE totals SET terms = 1",
    "DROP TABLE removed",
    "CREATE TABLE terms (title, headings, body, marks)",
)
_BEFORE_4 = ("ALTER TABLE passages ADD COLUMN entry TEXT NOT NULL DEFAULT ''",)


@pytest.fixture(params=[4, 3])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file as version 4 or 3 had it: with its words in a table, and no folder beside it."""
    shelf(tmp_path, PUMP, BOILER, BREAD, HINDI).close()
    path = tmp_path / "index.sqlite"
    shutil.rmtree(folder_of(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in (*_BEFORE_5, *(_BEFORE_4 if request.param == 3 else ())):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {request.param}")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def test_what_was_in_it_is_found_again(old: Path) -> None:
    index = reading(old).unwrap()

    assert index.notice == UPGRADED
    assert urls(index, "heat pumps") == [PUMP.url, BOILER.url]
    assert urls(index, "भाषाओं") == [HINDI.url]
    assert index.check().unwrap() is None


def test_it_counts_as_an_index_that_was_made_so(old: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    made = shelf(tmp_path / "new", PUMP, BOILER, BREAD, HINDI).statistics().unwrap()

    index = writing(old).unwrap()

    assert index.statistics().unwrap().terms == made.terms
    assert index.remove([PUMP.url]).unwrap() == 1
    assert urls(index, "warmth") == []


def test_it_is_done_once(old: Path) -> None:
    writing(old).unwrap()

    assert (writing(old).unwrap().notice, reading(old).unwrap().notice) == ("", "")


def test_an_older_one_is_left_as_it_is(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("PRAGMA user_version = 2")
    before = old.read_bytes()

    error = reading(old).failure()

    assert isinstance(error, StoreFailed)
    assert (error.problem, old.read_bytes()) == ("older", before)


def test_a_damaged_one_is_corrupt_and_stays(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE passages SET body = x'ff'")

    assert reading(old).failure() == INDEX.failed("corrupt")
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() < (INDEX.version,)


def test_the_receipt_of_a_search_says_so(old: Path) -> None:
    deps = WebDeps(backend=IndexBackend(reading(old).unwrap(), canonical_url))

    outcome = asyncio.run(web_search({"query": "warmth"}, deps)).unwrap()

    assert outcome.receipt.warnings == (UPGRADED,)


def test_the_command_says_so(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["stats", "--index", str(old)]) == 0

    assert capsys.readouterr().err == f"webseam: {UPGRADED}.\n"
