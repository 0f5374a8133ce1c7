"""Run a service package in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def run(path: Path, *arguments: str, cwd: Path | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        cwd=cwd,
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
