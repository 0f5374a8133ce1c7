"""Several processes on one file, and processes that are killed in the middle of writing.

``WEBSEAM_KILLS`` says how often; without it, it is so few times that they fit into a test run.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.features.index.killing import kill_while_adding

KILLS = os.environ.get("WEBSEAM_KILLS", "10")
COMMAND_KILLS = os.environ.get("WEBSEAM_KILLS", "4")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks its processes")


def _faults(act: str, store: str, folder: Path, count: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tests.features.index.processes", act, store, str(folder), count],
        capture_output=True,
        text=True,
        timeout=120 + int(count),
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("store", ["index", "cache"])
def test_stored_documents_survive_a_kill(tmp_path: Path, store: str) -> None:
    assert _faults("kill", store, tmp_path, KILLS) == ""


def test_replaced_and_removed_documents_stay_so_after_a_kill(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.features.index.changing", str(tmp_path), KILLS],
        capture_output=True,
        text=True,
        timeout=120 + 3 * int(KILLS),
        check=False,
    )
    assert done.stdout + done.stderr == ""


def test_documents_added_by_the_command_survive_a_kill(tmp_path: Path) -> None:
    assert list(kill_while_adding(tmp_path, int(COMMAND_KILLS))) == []


@pytest.mark.parametrize("store", ["index", "cache"])
def test_eight_writers_at_once_disturb_nobody(tmp_path: Path, store: str) -> None:
    assert _faults("together", store, tmp_path, "8") == ""
