"""The benchmark suite still runs: a few calls, whatever peers are installed, no judgement."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).parents[1]


def test_a_quick_run_measures_our_calls_and_pages_without_a_failure(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--json", str(result)]

    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert "webseam web_search" in ran.stdout
    figures = msgspec.json.decode(result.read_bytes())
    assert figures["bulk"][0]["reader"] == "webseam"
    cells = figures["played"]["cells"]
    ours = [cell for cell in cells if cell["client"] == "webseam"]
    assert {(cell["rows"], cell["at_once"]) for cell in ours} == {
        (10, 1),
        (10, 5),
        (100, 1),
        (100, 5),
    }
    assert [cell["failures"] for cell in ours] == [0] * len(ours)


def test_a_quick_run_measures_every_door_beside_the_same_by_hand() -> None:
    pytest.importorskip("aiohttp")
    command = [sys.executable, "-m", "benchmarks.doors", "--quick"]

    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )

    assert ran.returncode == 0, ran.stderr
    for door in ("open().search", "webseam.search", "/api/search", "tools/call", "webseam search"):
        assert door in ran.stdout
