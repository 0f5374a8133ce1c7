"""Files that are not what they should be: a clear error each, and nothing overwritten."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest
from returns.result import Result, Success

from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.files import restrict_permissions
from webseam.adapters.stores.sqlite import (
    Blueprint,
    attempt_call,
    open_for_reading,
    open_for_writing,
)
from webseam.ports import StoreBusy, StoreFailed, WebSearchQuery

from .shelf import BREAD, PUMP, lent, reading, shelf, urls, writing


def _problem(error: object) -> object:
    return error.problem if isinstance(error, StoreFailed) else error


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE precious (data)")
    connection.close()


def _written_by(version: int, path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "garbage": (lambda path: path.write_bytes(b"\x07garbage" * 5000), "foreign"),
    "text": (lambda path: path.write_text("Dear diary"), "foreign"),
    "zeros": (lambda path: path.write_bytes(bytes(9000)), "foreign"),
    "another program's": (_foreign, "foreign"),
    "newer": (partial(_written_by, 99), "newer"),
    "older": (partial(_written_by, 1), "older"),
    "damaged pages": (
        lambda path: path.write_bytes(path.read_bytes()[:100] + b"\xff" * 60_000),
        "corrupt",
    ),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:5000]), "corrupt"),
}


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    shelf(tmp_path, PUMP, BREAD).close()
    return tmp_path / "index.sqlite"


@pytest.mark.parametrize("name", DAMAGES)
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_is(closed: Path, name: str) -> None:
    damage, problem = DAMAGES[name]
    damage(closed)
    before = closed.read_bytes()

    written = writing(closed).bind(lambda index: index.add([BREAD, PUMP]))
    read = reading(closed).bind(lambda index: index.check())

    assert _problem(written.failure()) == _problem(read.failure()) == problem
    assert closed.read_bytes() == before


def test_a_flipped_bit_is_found_by_a_check(closed: Path) -> None:
    content = bytearray(closed.read_bytes())
    at = content.index(b"warmth")
    for page in range(4096, len(content), 4096):
        content[page + 3] ^= 0xFF
    closed.write_bytes(content)

    assert at > 0
    assert _problem(reading(closed).bind(DocumentIndex.check).failure()) == "corrupt"


def test_a_letter_that_became_another_is_found_by_a_check(closed: Path) -> None:
    content = closed.read_bytes()
    assert reading(closed).bind(DocumentIndex.check) == Success(None)

    closed.write_bytes(content.replace(b"warmth", b"warmts"))

    assert _problem(reading(closed).bind(DocumentIndex.check).failure()) == "corrupt"


def test_texts_without_a_sum_are_not_compared(closed: Path) -> None:
    with closing(sqlite3.connect(closed)) as connection:
        connection.execute("DROP TRIGGER sums_removed")
        connection.execute("DROP TABLE sums")

    assert reading(closed).bind(DocumentIndex.check) == Success(None)
    with closing(writing(closed).unwrap()) as index:
        assert index.add([msgspec.structs.replace(BREAD, text="Bread of rye.")]).unwrap()
        assert index.remove([PUMP.url]) == Success(1)
        assert index.check() == Success(None)
    with closing(sqlite3.connect(closed)) as connection:
        assert connection.execute("SELECT count(*) FROM sums").fetchone() == (1,)


def test_no_file_is_missing_for_a_reader_and_made_by_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "index.sqlite"

    assert _problem(reading(path).failure()) == "missing"
    assert not path.parent.exists()
    assert urls(writing(path).unwrap(), "x") == []


def test_an_empty_file_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.touch()

    assert _problem(reading(path).failure()) == "missing"
    assert writing(path).unwrap().add([PUMP]).unwrap() == ("added",)


def test_a_file_whose_making_was_cut_short_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(bytes(4096))
    (tmp_path / "index.sqlite-journal").write_bytes(b"")

    # An empty journal rolls nothing back, so SQLite finds no database in the zeros.
    assert _problem(writing(path).failure()) == "corrupt"


def test_a_newer_mark_in_the_log_is_seen_too(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP)
    other = sqlite3.connect(tmp_path / "index.sqlite", isolation_level=None)
    other.execute("PRAGMA user_version = 99")

    found = reading(tmp_path / "index.sqlite")

    assert _problem(found.failure()) == "newer"
    other.close()
    index.close()


def test_a_folder_in_its_place_cannot_be_opened(tmp_path: Path) -> None:
    assert _problem(writing(tmp_path).failure()) == "unreachable"
    assert _problem(reading(tmp_path).failure()) == "unreachable"


def test_a_file_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert _problem(writing(tmp_path / "file" / "index").failure()) == "unreachable"


def test_a_disk_that_is_full_is_said_to_be(tmp_path: Path) -> None:
    connection = lent(open_for_writing(tmp_path / "i", INDEX).unwrap())
    connection.execute("PRAGMA max_page_count = 1")
    index = DocumentIndex(connection, tmp_path / "i", lambda: 0.0)
    large = PUMP.__class__(url="https://a.example/", text="many different words " * 5000)

    assert _problem(index.add([large]).failure()) == "full"
    assert index.documents().unwrap() == ()


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_file_that_may_not_grow_cannot_be_written_to_and_stays_as_it_was(tmp_path: Path) -> None:
    index = shelf(tmp_path, PUMP)
    code = (
        "import resource, sys; from pathlib import Path;"
        "from webseam.adapters.features.index.store import DocumentIndex;"
        "index = DocumentIndex.open_writer(Path(sys.argv[1])).unwrap();"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20));"
        "print(index.remember_sources(['/a' * (2 << 20)]).failure().problem)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "index.sqlite")],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == ("read_only\n", "")
    assert index.check().unwrap() is None
    assert index.sources().unwrap() == ()


def test_a_disk_that_cannot_be_written_is_said_to_be(closed: Path) -> None:
    connection = lent(open_for_writing(closed, INDEX).unwrap())
    connection.execute("PRAGMA query_only = 1")

    index = DocumentIndex(connection, closed, lambda: 0.0)
    added = index.add([PUMP.__class__(url="x", text="new")])

    assert _problem(added.failure()) == "read_only"


def test_a_reader_needs_no_room_beside_the_file(closed: Path) -> None:
    # Where SQLite would keep its shared memory, nothing can be made.
    closed.with_name("index.sqlite-shm").mkdir()

    assert urls(reading(closed).unwrap(), "rye") == [BREAD.url]
    removed = writing(closed).bind(lambda index: index.remove([BREAD.url]))
    assert isinstance(removed.failure(), StoreFailed)


@pytest.mark.parametrize("seed", range(30))
def test_no_damage_to_the_file_ever_raises(closed: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  not a secret
    content = bytearray(closed.read_bytes())
    for _ in range(40):
        content[chance.randrange(100, len(content))] ^= 1 << chance.randrange(8)
    closed.write_bytes(content)

    for outcome in (
        reading(closed).bind(lambda index: index.search(WebSearchQuery(query="pump"))),
        reading(closed).bind(lambda index: index.documents()),
        reading(closed).bind(lambda index: index.page(PUMP.url)),
        reading(closed).bind(lambda index: index.check()),
        writing(closed).bind(lambda index: index.remove([PUMP.url])),
        writing(closed).bind(lambda index: index.add([PUMP, BREAD])),
    ):
        assert isinstance(outcome, Result)


def test_a_lock_that_is_never_free_is_busy(tmp_path: Path) -> None:
    hasty = Blueprint(store="s", setting="S", application_id=7, version=1, schema=(), patience=0.1)
    path = tmp_path / "i"
    holder = lent(open_for_writing(path, hasty).unwrap())
    other = lent(open_for_writing(path, hasty).unwrap())
    holder.execute("BEGIN IMMEDIATE")

    locked = attempt_call(lambda: other.execute("BEGIN IMMEDIATE"), hasty)

    assert locked.failure() == StoreBusy(store="s", waited=0.1)
    holder.execute("ROLLBACK")
    assert isinstance(open_for_reading(path, hasty).map(lent), Success)


def test_a_misuse_of_sqlite_is_a_bug_and_raised(tmp_path: Path) -> None:
    connection = open_for_writing(tmp_path / "i", INDEX).unwrap()
    connection.close()

    with pytest.raises(sqlite3.ProgrammingError):
        attempt_call(lambda: connection.execute("SELECT 1"), INDEX)


def test_a_file_beside_that_another_removes_meanwhile_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "index.sqlite"
    path.with_name("index.sqlite-journal").touch()

    def removed_meanwhile(beside: Path) -> None:
        beside.unlink(missing_ok=True)
        restrict_permissions(beside)

    monkeypatch.setattr("webseam.adapters.store_files.restrict_permissions", removed_meanwhile)

    opened = DocumentIndex.open_writer(path)

    assert isinstance(opened, Success)
    opened.unwrap().close()
