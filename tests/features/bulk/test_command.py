"""``webseam bulk`` as it is typed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.doors.cli.screens import Terminal
from tests.features.bulk.samples import digests, packed
from webseam.adapters.features.bulk.datasets.folder_lock import lock_folder
from webseam.composition.doors.cli import main
from webseam.composition.features.bulk.commands import bulk
from webseam.composition.terminal.styled_lines import print_wrapped_lines


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed(1) + packed(2, status=404) + packed(3))
    return path


def test_a_run_its_status_and_its_report(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, report = str(tmp_path / "out"), tmp_path / "report.html"

    done = main(["bulk", "extract", str(source), "-o", out, "--report", str(report)])
    told = capsys.readouterr().out
    main(["bulk", "status", out])
    status = capsys.readouterr().out
    main(["bulk", "status", out, "--json"])
    as_json = json.loads(capsys.readouterr().out)
    again = main(["bulk", "report", out, str(tmp_path / "again.html")])

    assert done == again == 0
    assert told.splitlines() == [
        "3 rows in 1 file",
        "2 pages, 1 failure, 1.4 kB",
        "          1  http_status",
    ]
    assert status.startswith("3 of 3 rows (100%), 1 of 1 shard, done\n")
    assert as_json["data"]["so_far"]["ok"] == 2
    page = report.read_text()
    assert page == (tmp_path / "again.html").read_text()
    assert "<h1>3 of 3 rows</h1>" in page
    assert "http_status" in page
    assert "example.com" in page
    assert "http://" not in page


@pytest.mark.skipif(os.name == "nt", reason="locks")
def test_one_process_at_a_time_works_on_a_folder(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    main(["bulk", "extract", str(source), "-o", str(out)])
    (out / "_manifest.jsonl").unlink()
    (out / "_summary.json").unlink()
    capsys.readouterr()

    with lock_folder(out):
        refused = [
            main(["bulk", "extract", str(source), "-o", str(out)]),
            main(["bulk", "search", "tides", "-o", str(out)]),
            main(["crawl", "https://example.com/", "-o", str(out)]),
        ]
        said = capsys.readouterr().err
        main(["bulk", "status", str(out)])
        running = capsys.readouterr().out
    (tmp_path / "planned").mkdir()
    with lock_folder(tmp_path / "planned"):
        main(["bulk", "status", str(tmp_path / "planned")])
        planning = capsys.readouterr().out
    main(["bulk", "status", str(out)])
    ended = capsys.readouterr().out
    again = main(["bulk", "extract", str(source), "-o", str(out)])

    assert refused == [2, 2, 2]
    assert said.count(f"another process writes to {out}") == 3
    assert planning == "Looking for pages: 0 pages fetched so far\n"
    assert running.startswith("0 of 3 rows (0%), 0 of 1 shard\n")
    assert ended.startswith(
        "0 of 3 rows (0%), 0 of 1 shard; no process works on it, so run the same command to continue\n"
    )
    assert again == 0


def test_a_dry_run_tells_the_plan_and_writes_nothing(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    listed = tmp_path / "urls.txt"
    listed.write_text("https://a.example/1\nhttps://a.example/2\nhttps://b.example/\n")

    code = main(
        ["bulk", "extract", str(source), str(listed), "-o", str(out), "--dry-run", "--workers", "3"]
    )
    told = capsys.readouterr().out.splitlines()

    assert code == 0
    assert told[:2] == [
        f"6 rows in 2 shards, as parquet, to {out}",
        "3 workers for the conversion of pages",
    ]
    assert told[2].startswith("3 URLs to fetch within robots.txt, 32 at once, 1 a host, 1 s apart")
    assert told[3] == "The largest host, a.example, has 2: 3 s at least"
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["status", "nowhere"], "nowhere holds no run"),
        (["report", "nowhere", "page.html"], "nowhere holds no run"),
        (["extract", "nowhere.warc", "-o", "out"], "there is no file, folder or address"),
        (["extract", ".", "-o", "out", "--where", "colour > 1"], "names no column 'colour'"),
        (["extract", ".", "-o", "here"], "-o: here is a file; a run needs a folder"),
        (["search", "tides", "-o", "here"], "-o: here is a file; a run needs a folder"),
        (["extract", ".", "-o", "here/out"], "-o: here/out cannot be made: "),
        (["extract", ".", "-o", "out", "--since", "gone"], "gone holds no run that fetched pages"),
        (["extract", "feed:gone.json", "-o", "out"], "there is no file or address 'gone.json'"),
    ],
)
def test_impossible_bulk_command_says_why(
    words: list[str],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here").touch()

    code = main(["bulk", *words])

    assert code == 2
    assert problem in capsys.readouterr().err


def test_without_its_packages_it_names_the_extra(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(
        "webseam.composition.features.bulk.options._REQUIRED_PACKAGES", ("no_such_package",)
    )

    code = main(["bulk", "extract", str(source), "-o", str(tmp_path / "out")])

    assert code == 3
    assert "pip install 'webseam[bulk]'" in capsys.readouterr().err


def start(source: Path, out: Path) -> "subprocess.Popen[str]":
    words = ["bulk", "extract", str(source), "-o", str(out), "--per-shard", "5", "--workers", "1"]
    code = f"import sys; from webseam.composition.doors.cli import main; sys.exit(main({words!r}))"
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)


def run_to_end(source: Path, out: Path) -> int:
    process = start(source, out)
    process.communicate()
    return process.returncode


def await_shards(out: Path, count: int, process: "subprocess.Popen[str]") -> None:
    while process.poll() is None and len(list(out.glob("part-*"))) < count:
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_killed_run_and_one_that_was_interrupted_go_on_to_the_same_bytes(
    stop: signal.Signals, tmp_path: Path
) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(b"".join(packed(number) for number in range(60)))
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert run_to_end(source, whole) == 0

    killed = start(source, out)
    await_shards(out, 1, killed)
    killed.kill()
    killed.communicate()
    interrupted = start(source, out)
    await_shards(out, 4, interrupted)
    interrupted.send_signal(stop)
    told = interrupted.communicate()[1]
    code = interrupted.returncode
    assert not list(out.glob(".*"))
    assert run_to_end(source, out) == 0

    # On a fast machine it may have been done before the signal came.
    assert code in (0, 130)
    assert code == 0 or f"continue with: webseam bulk extract {source}" in told
    assert digests(out) == digests(whole)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--workers", "0"], "--workers: '0' is no whole number of 1 or more"),
        (["--workers", "many"], "--workers: 'many' is no whole number of 1 or more"),
        (["--delay", "-1"], "--delay: '-1' is no number of seconds"),
        (["--delay", "nan"], "--delay: 'nan' is no number of seconds"),
        (["--delay", "soon"], "--delay: 'soon' is no number of seconds"),
    ],
)
def test_numbers_that_are_none_are_refused(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        bulk.command_line().parse_args(["extract", "x", "-o", "y", *words])
    assert problem in capsys.readouterr().err


def test_a_run_that_read_nothing_tells_the_first_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1, status=404) + packed(2, status=410))

    code = main(["bulk", "extract", str(source), "-o", str(tmp_path / "out")])
    told = capsys.readouterr()

    assert code == 4
    assert "0 pages, 2 failures" in told.out
    assert told.err == "webseam: example.com answered 404 (not found).\n"


def test_a_report_that_cannot_be_written_is_said_after_the_run(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, nowhere = str(tmp_path / "out"), str(source / "report.html")

    code = main(["bulk", "extract", str(source), "-o", out, "--report", nowhere])
    told = capsys.readouterr()
    again = main(["bulk", "report", out, nowhere])

    assert code == again == 2
    assert told.out.startswith("3 rows in 1 file\n")
    assert f"report: {nowhere} cannot be written: " in told.err


def test_a_status_is_wrapped_between_words_at_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    line = "12 of 100 rows (12%), 1 of 4 shards; no process works on it, so run the same command"

    print_wrapped_lines([line])

    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join("".join(f"{part}\n" for part in lines).split()) == line
