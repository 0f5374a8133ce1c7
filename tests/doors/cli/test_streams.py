"""Whatever stands behind standard output: no traceback, and no letter that makes one."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, cast

import pytest

from tests.doors.cli.run import webseam, webseam_process
from webseam.composition.doors.cli import main

FULL = Path("/dev/full")


def run_into(output: IO[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "webseam.composition.doors.cli", *arguments],
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        env={**os.environ, "WEBSEAM_CONFIG": os.devnull},
        check=False,
    )


def test_json_is_whole_where_output_has_no_letters_but_ascii() -> None:
    ran = webseam_process("backends", "--all", "--json", PYTHONIOENCODING="ascii")

    titles = [entry["title"] for entry in json.loads(ran.out)["data"]["backends"]]
    assert (ran.code, ran.err) == (0, "")
    assert any(not title.isascii() for title in titles)


@pytest.mark.parametrize("encoding", ["ascii", "ascii:surrogateescape"])
def test_a_page_escapes_what_output_has_no_letters_for(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("High tide at the café.\n", encoding="utf-8")

    ran = webseam_process("read", str(tmp_path / "page.txt"), PYTHONIOENCODING=encoding)

    assert (ran.code, ran.err) == (0, "")
    assert r"High tide at the caf\xe9." in ran.out


def test_a_table_escapes_what_output_has_no_letters_for() -> None:
    ran = webseam_process("backends", "--all", PYTHONIOENCODING="ascii")

    assert (ran.code, ran.err) == (0, "")
    assert r"\u" in ran.out


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device here")
@pytest.mark.parametrize("words", ["backends", "--help", "--version", "search --help"])
def test_a_full_disk_is_told_without_a_traceback(words: str) -> None:
    with FULL.open("w") as full:
        ran = run_into(full, *words.split())

    assert ran.returncode == 4
    assert ran.stderr == "webseam: the output is not complete: no space left on device.\n"


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device here")
def test_full_standard_error_keeps_the_exit_code() -> None:
    with FULL.open("w") as full:
        ran = subprocess.run(
            [
                sys.executable,
                "-m",
                "webseam.composition.doors.cli",
                "search",
                "q",
                "--backend",
                "nobody",
            ],
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=120,
            env={**os.environ, "WEBSEAM_CONFIG": os.devnull},
            check=False,
        )

    assert ran.returncode == 4


def test_a_reader_who_has_gone_needs_no_more_of_the_help() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as gone:
        ran = run_into(gone, "--help")

    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_failure_that_nobody_reads_keeps_its_code(unbuffered: str) -> None:
    read, write = os.pipe()
    os.close(read)
    commands = {"nosuch": 2, "search x --backend nobody": 2, "doctor nosuch": 2}
    with os.fdopen(write, "w") as gone:
        for words, code in commands.items():
            for as_json in ((), ("--json",)):
                ran = subprocess.run(
                    [
                        sys.executable,
                        "-m",
                        "webseam.composition.doors.cli",
                        *words.split(),
                        *as_json,
                    ],
                    stdout=gone,
                    stderr=gone,
                    timeout=120,
                    env={
                        **os.environ,
                        "WEBSEAM_CONFIG": os.devnull,
                        "PYTHONUNBUFFERED": unbuffered,
                    },
                    check=False,
                )
                assert ran.returncode == code, (words, as_json)


@pytest.mark.parametrize(
    "words",
    ["extract http://10.0.0.1/ -o {}", "bulk status {}", "bulk extract http://10.0.0.1/ -o {}"],
)
def test_a_name_that_is_too_long_is_the_callers(words: str) -> None:
    ran = webseam(*words.format("x" * 300).split())

    assert (ran.code, ran.out) == (2, "")
    assert "xxx" in ran.err
    assert "file name too long" in ran.err


def test_a_closed_output_is_no_reason_to_fail() -> None:
    program = (
        "import sys; sys.stdout = None; sys.stderr = None\n"
        "from webseam.composition.doors.cli import main\n"
        "sys.exit(main(['config', 'path']) or main(['nosuch']))"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (2, b"", b"")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("extract", "-"), 0, "webseam: no URL came on standard input, so there is no page\n"),
        (("read", "-"), 4, "webseam: The document is empty.\n"),
        (
            ("setup", "brave"),
            2,
            "webseam: api_key: no value came on standard input; --env takes it from a variable.\n",
        ),
    ],
)
def test_a_closed_input_is_an_empty_one(arguments: tuple[str, ...], code: int, told: str) -> None:
    ran = webseam(*arguments, given=None)

    assert (ran.code, ran.err) == (code, told)


def test_an_address_that_is_no_text_is_told() -> None:
    ran = webseam("extract", "http://example.com/\udcff")

    assert ran.code == 4
    assert ran.err.startswith("webseam: Not a usable URL: it has a blank or a control character")


def test_a_bug_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["search", cast("str", 3)])

    assert code == 70
    assert capsys.readouterr().err == (
        "webseam: this is a bug in webseam (TypeError); please report it.\n"
    )
