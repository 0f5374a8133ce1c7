"""The command line: inside this process, or as users run it, in a process of its own."""

import io
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

import pytest

from tests.surroundings import STARTING
from webseam.composition.doors.cli import main

# Nothing of this user's is read or written: no index, no cache, no settings.
_HOME = tempfile.TemporaryDirectory()


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def webseam(*arguments: str, given: str | None = "", **environment: str) -> Ran:
    """Run ``webseam`` inside this process with these settings alone; None is a closed input."""
    out, err = _stream(), _stream()
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - STARTING.keys():
            patch.delenv(name)
        for name, value in _settings(environment).items():
            patch.setenv(name, value)
        stdin = None if given is None else io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8")
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        code = _code(arguments)
        sys.stdin.close()
    return Ran(code, _written(out), _written(err))


def webseam_process(*arguments: str, given: str = "", **environment: str) -> Ran:
    """Run ``webseam`` as ``webseam`` does, in a process that reads ``given``; this is slow."""
    done = subprocess.run(
        [sys.executable, "-m", "webseam.composition.doors.cli", *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        env={"PYTHONIOENCODING": "utf-8", **STARTING, **_settings(environment)},
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _settings(environment: dict[str, str]) -> dict[str, str]:
    """Return what is given, and what keeps this machine and everybody else out of it."""
    return {"PATH": "", "HOME": _HOME.name, "WEBSEAM_KEYLESS": "false", **environment}


def _code(arguments: tuple[str, ...]) -> int:
    """Return what a process would end with."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
