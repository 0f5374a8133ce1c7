"""Every call to the system that can fail, failing in turn: typed, nothing leaked, nothing torn."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="descriptors are counted there")
def test_each_call_that_fails_ends_typed_and_whole(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "tests.faults.scenarios", str(tmp_path)]

    ran = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
