"""A fetch may be cancelled at any moment; nothing of it is left, and the next one works."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files through /proc")
def test_nothing_is_left_after_many_cancellations_and_the_next_fetches_work() -> None:
    command = [sys.executable, "-m", "tests.fetch.cancelling"]

    ran = subprocess.run(command, capture_output=True, text=True, check=True)

    found = json.loads(ran.stdout)
    assert found.pop("left") <= 0
    assert found == {"good": True, "tasks": 0, "idle": True}
