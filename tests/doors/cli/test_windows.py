"""Nothing of the command line needs what Windows does not have, or letters that it cannot write."""

import subprocess
import sys
from pathlib import Path

from tests.surroundings import STARTING

from .api import Api
from .run import Ran, webseam, webseam_process

PAGE = "<main><h1>Tides</h1><p>The tide is the rise and fall of the sea, twice a day.</p></main>"


def without_posix(*arguments: str, home: Path) -> Ran:
    done = subprocess.run(
        [sys.executable, "-m", "tests.doors.cli.without_posix", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={"PYTHONIOENCODING": "utf-8", **STARTING, "HOME": str(home), "PATH": ""},
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_every_command_is_loaded_without_posix(tmp_path: Path) -> None:
    ran = without_posix("every-command", home=tmp_path)

    assert (ran.code, ran.err) == (0, "")


def test_a_page_is_searched_for_and_read_without_posix(api: Api, tmp_path: Path) -> None:
    saved = tmp_path / "tides.html"
    saved.write_text(PAGE)

    found = without_posix("search", "rows", "--endpoint", api.url("search"), home=tmp_path)
    page = without_posix("read", str(saved), home=tmp_path)

    assert (found.code, page.code) == (0, 0), found.err + page.err
    assert "https://webseam.example/failures" in found.out
    assert "The tide is the rise and fall of the sea" in page.out


def test_symbols_are_ascii_where_they_cannot_be_written() -> None:
    ran = webseam_process("doctor", PYTHONIOENCODING="cp1252")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.isascii()
    assert "  + Pages   built in    read on this machine" in ran.out


def test_powershell_completes() -> None:
    ran = webseam("completion", "powershell")

    assert ran.code == 0
    assert "Register-ArgumentCompleter -Native -CommandName webseam" in ran.out
