"""No code of ours opens a store but through SQLite, and no connection crosses a fork: the law."""

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from webseam import adapters, composition
from webseam.adapters.held_files import held_stores
from webseam.adapters.plugins.observers.counter import UseCounter
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.ledger import Ledger
from webseam.ports.planning import Booking, Purse

from .beside import one_machine

# Their tables live for one run, in a folder of that run, and are named after no store.
TABLES_OF_A_RUN = {"dataset_duplicates.py", "fetching.py"}
DAY = Purse(setting="budgets.day", scope="*", period="2026-01-01", cap=None)


def test_no_command_opens_a_store_but_through_sqlite(tmp_path: Path) -> None:
    with one_machine(tmp_path) as (machine, _):
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.stores.every_command",
                str(machine.opened),
                str(tmp_path),
            ],
            env=machine.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

        assert ran.returncode == 0, ran.stderr
        assert machine.opened_stores() == []


def test_the_watch_sees_a_store_that_is_opened_by_python(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from tests.stores.watched import watch_opens;"
        "watch_opens(Path(sys.argv[1]));"
        "Path(sys.argv[2]).read_bytes(); os.close(os.open(sys.argv[3], os.O_RDONLY))"
    )
    store, link = tmp_path / "a.sqlite", tmp_path / "note"
    store.touch()
    link.symlink_to(store)

    subprocess.run([sys.executable, "-c", code, tmp_path / "report", store, link], check=True)

    paths = [line.split(" by ")[0] for line in (tmp_path / "report").read_text().splitlines()]
    assert paths == [str(store), str(link)]


def test_connections_are_made_in_one_place_which_knows_them() -> None:
    rooms = [Path(folder).resolve() for room in (adapters, composition) for folder in room.__path__]
    files = [file for room in rooms for file in room.glob("**/*.py")]
    places = {file.name for file in files if re.search(r"sqlite3\.connect\(", file.read_text())}

    assert files
    # The one in sqlite.py is in memory.
    assert places == {"sqlite.py", "store_files.py", *TABLES_OF_A_RUN}


def test_stores_are_held_until_they_are_closed(tmp_path: Path) -> None:
    before = held_stores()
    with closing(Ledger(tmp_path / "ledger.sqlite")) as ledger:
        ledger.recall().unwrap()
        during = held_stores()
    UseCounter(tmp_path / "uses.sqlite", lambda: 0.0).take(("a",), 1, 60.0)

    assert during - before == {tmp_path.resolve() / "ledger.sqlite"}
    assert held_stores() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_opens_the_store_again_and_takes_no_lock_from_its_parent(tmp_path: Path) -> None:
    code = """
import os, sys, time
from pathlib import Path
from tests.stores.every_command import locked_stores
from tests.stores.test_opens import DAY
from webseam.adapters.stores.ledger import Ledger
from webseam.ports.planning import Booking

home = Path(sys.argv[1])
ledger = Ledger(home / "ledger.sqlite")
ledger.book([Booking(5, 1, (DAY,))]).unwrap()
before = locked_stores(home)
if child := os.fork():
    ledger.book([Booking(5, 1, (DAY,))]).unwrap()
    assert locked_stores(home) == before
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert locked_stores(home) == before
    print(ledger.spendings(0.0).unwrap()[0].spent)
    ledger.close()
else:
    ledger.book([Booking(5, 1, (DAY,))]).unwrap()
    assert locked_stores(home) == before
    ledger.close()
    os._exit(0)
"""
    command = [sys.executable, "-c", code, str(tmp_path)]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "15\n", "")


class TestReplacedFile:
    def test_a_log_of_the_old_file_is_put_aside_by_who_never_saw_it(self, tmp_path: Path) -> None:
        path, other = tmp_path / "ledger.sqlite", tmp_path / "other" / "ledger.sqlite"
        with closing(Ledger(other)) as ledger:
            ledger.book([Booking(7, 1, (DAY,))]).unwrap()
        living = Ledger(path)
        living.book([Booking(5, 1, (DAY,))]).unwrap()
        other.replace(path)

        with closing(Ledger(path)) as newcomer:
            seen = newcomer.spendings(0.0).unwrap()
        also_seen = living.spendings(0.0).unwrap()
        living.close()

        assert [row.spent for row in seen] == [row.spent for row in also_seen] == [7]
        assert len(list(tmp_path.glob("ledger.sqlite-wal.replaced-*"))) == 1

    def test_a_killed_process_leaves_a_log_that_belongs_to_its_own_file(
        self, tmp_path: Path
    ) -> None:
        path, copied = tmp_path / "ledger.sqlite", tmp_path / "copied"
        living = Ledger(path)
        living.book([Booking(5, 1, (DAY,))]).unwrap()
        copied.mkdir()
        # As a copy of the folder has it, with other inodes.
        for file in tmp_path.glob("ledger.sqlite*"):
            command = "import sys, shutil; shutil.copy(*sys.argv[1:])"
            subprocess.run([sys.executable, "-c", command, file, copied], check=True)

        with closing(Ledger(copied / "ledger.sqlite")) as copy:
            seen = copy.spendings(0.0).unwrap()
        living.close()

        assert [row.spent for row in seen] == [5]
        assert list(copied.glob("*.replaced-*")) == []

    def test_nothing_is_left_beside_a_store_that_is_closed(self, tmp_path: Path) -> None:
        with closing(Ledger(tmp_path / "ledger.sqlite")) as ledger:
            ledger.recall().unwrap()
            beside = {file.name for file in tmp_path.iterdir()}

        assert "ledger.sqlite-inodes" in beside
        assert {file.name for file in tmp_path.iterdir()} == {"ledger.sqlite"}

    def test_a_ledger_that_is_gone_is_an_error_and_a_cache_begins_anew(
        self, tmp_path: Path
    ) -> None:
        ledger, cache = Ledger(tmp_path / "ledger.sqlite"), CacheStore(tmp_path / "answers.sqlite")
        ledger.recall().unwrap()
        cache.statistics().unwrap()
        for file in tmp_path.iterdir():
            file.unlink()

        gone, anew = ledger.recall().failure(), cache.statistics().unwrap()
        ledger.close()
        cache.close()

        assert (gone.kind, getattr(gone, "problem", None)) == ("store_failed", "removed")
        assert anew.answers == 0
        assert not (tmp_path / "ledger.sqlite").exists()
