"""The command line, run as users run it: in a process of its own."""

import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

# A process of ours counts for coverage too.
_MEASURED = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}

# Nothing of this user's is read or written: no index, no cache, no settings.
_HOME = tempfile.TemporaryDirectory()


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def webseam(*arguments: str, **environment: str) -> Ran:
    """Run ``webseam`` with nothing of this machine's settings but what is given."""
    done = subprocess.run(
        [sys.executable, "-m", "webseam.composition.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            "PATH": "",
            "HOME": _HOME.name,
            # Nobody else is asked either.
            "WEBSEAM_KEYLESS": "false",
            "PYTHONIOENCODING": "utf-8",
            **_MEASURED,
            **environment,
        },
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
