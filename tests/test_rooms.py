"""The map of rooms to their tests and laws is complete, and names what exists."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rooms import ROOMS, main

ROOT = Path(__file__).parent.parent
MAPPED = {path for paths in ROOMS.values() for path in paths}


def _folders(*parents: str) -> set[str]:
    """Return the names of the packages directly below these folders."""
    return {
        file.parent.name for parent in parents for file in (ROOT / parent).glob("*/__init__.py")
    }


def test_every_test_folder_and_every_law_belongs_to_a_room() -> None:
    rooms = ("tests", "tests/features", "tests/doors")
    folders = {f"{room}/{name}" for room in rooms for name in _folders(room)}
    folders -= {"tests/features", "tests/doors"}
    laws = {f"properties/{file.name}" for file in (ROOT / "properties").glob("test_*.py")}

    assert sorted((folders | laws) - MAPPED) == []


def test_every_mapped_path_exists() -> None:
    assert [path for path in MAPPED if not (ROOT / path).exists()] == []


def test_rooms_are_the_features_the_doors_and_the_folders_of_the_core() -> None:
    features = _folders(*(f"{room}/features" for room in ("composition", "adapters", "kernel")))
    doors = _folders("composition/doors")
    core = _folders("composition", "adapters", "kernel", "ports") - {"features", "doors"}

    assert set(ROOMS) == features | doors | core | {"kernel"}


def test_unknown_room_is_an_error_that_lists_the_rooms(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dokuments"]) == 2

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("ROOM=dokuments: there is no such room. The rooms are: browser, ")
    assert all(room in printed.err for room in ROOMS)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_stops_at_an_unknown_room_and_runs_the_tests_of_a_known_one() -> None:
    for target in ("quick", "test"):
        unknown = _make(target, "ROOM=dokuments")
        known = _make(target, "ROOM=hermes")

        assert unknown.returncode == 2, target
        assert "ROOM=dokuments: there is no such room." in unknown.stderr
        assert "pytest" not in unknown.stdout
        command = next(line for line in known.stdout.splitlines() if " -m pytest " in line)
        assert command.endswith(" tests/doors/hermes"), target


def _make(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run ``make`` without executing a command."""
    command = ["make", "--dry-run", f"PYTHON={sys.executable}", *arguments]
    # The tests themselves may be run by make, which tells its children its options and ROOM.
    environment = {name: os.environ[name] for name in os.environ.keys() - {"MAKEFLAGS", "ROOM"}}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
