"""``webseam extract`` of many: from standard input, into files, and after an interrupt."""

import argparse
import csv
import io
import json
import os
import signal
import socket
import subprocess
from errno import EACCES
from pathlib import Path

import pytest

from tests.interrupts import interruptible
from tests.surroundings import STARTING
from webseam.adapters.features.index.ingestion import IngestItem, IngestOutcome, IngestResult
from webseam.composition.features.index.index_report import IndexReport
from webseam.composition.terminal import output_files
from webseam.composition.terminal.output_files import (
    Harvest,
    output_page_name,
    read_output_option,
    write_output_file,
)
from webseam.composition.terminal.page_reports import (
    harvest_failure_lines,
    harvest_stopped_lines,
    harvest_summary_lines,
)
from webseam.composition.terminal.search_output import Format
from webseam.composition.terminal.terminal_look import TerminalLook
from webseam.composition.tools.stages import CallOutcome
from webseam.kernel.envelopes import envelope_reply, failure_envelope
from webseam.ports.errors import HttpStatus, Timeout, UrlDenied

from .api import Api
from .run import Ran, webseam

ROWS, FAILURES = "https://webseam.example/rows", "https://webseam.example/failures"
GONE = "https://webseam.example/nope"


def extract(
    api: Api,
    *arguments: str,
    given: str = f"# two\n\n{ROWS}\n {FAILURES} \n{ROWS}\n",
) -> Ran:
    variables = {"WEBSEAM_JSON_EXTRACT_URL": api.url("extract"), "WEBSEAM_CACHE_ENABLED": "false"}
    return webseam("extract", "-", "--backend", "json", *arguments, given=given, **variables)


def test_urls_come_from_standard_input(api: Api) -> None:
    ran = extract(api, "--format", "jsonl")
    nothing = extract(api, given="# none\n")

    entries = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (0, "")
    assert [entry["url"] for entry in entries] == [ROWS, FAILURES]
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "webseam: no URL came on standard input, so there is no page\n"


def test_no_urls_are_an_empty_result(api: Api, tmp_path: Path) -> None:
    envelope = json.loads(extract(api, "--json", given="").out)
    folder = extract(api, "-o", f"{tmp_path}/pages/", given="")

    assert (envelope["success"], envelope["failed"]) == (True, 0)
    assert envelope["data"] == {"results": []}
    assert (folder.code, folder.out, len(folder.err.splitlines())) == (0, "", 1)


def test_each_format_is_what_it_says(api: Api) -> None:
    given = f"{ROWS}\n{GONE}\n"
    table = extract(api, "--format", "csv", given=given)
    text = extract(api, "--format", "text")
    markdown = extract(api, "--format", "markdown")
    html = extract(api, "--format", "html")
    whole = extract(api, "--format", "json")

    rows = list(csv.DictReader(io.StringIO(table.out)))
    assert (table.code, [row["url"] for row in rows]) == (4, [ROWS, GONE])
    assert [bool(row["error"]) for row in rows] == [False, True]
    assert "# One bad row fails the call" in markdown.out
    assert "\nOne bad row fails the call" in text.out
    assert html.out.count("<article>") == 2
    assert "<h1>One bad row fails the call</h1>" in html.out
    assert len(json.loads(whole.out)["data"]["results"]) == 3


def test_a_folder_has_a_file_for_each_page_and_is_gone_on_with(api: Api, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    given = f"{ROWS}\n{GONE}\n"

    first = extract(api, "-o", f"{folder}/", given=given)
    again = extract(api, "-o", str(folder), given=f"{given}{FAILURES}\n")

    names = {output_page_name(url, ".md") for url in (ROWS, FAILURES)}
    # A page that is gone is not one to try again.
    assert {each.name for each in folder.iterdir()} == names
    assert "One bad row" in (folder / output_page_name(ROWS, ".md")).read_text()
    assert (first.code, first.out) == (4, "")
    assert first.err.startswith(f"✓ 1 of 2 pages read → {folder}   ")
    assert "  Again  " not in first.err
    assert "1 of 2 pages read" in again.err
    assert "1 there before" in again.err

    done = extract(api, "-o", str(folder))
    forced = extract(api, "-o", str(folder), "--force")

    assert done.err == "✓ All 2 pages are there; --force reads them again.\n"
    assert "2 of 2 pages read" in forced.err
    assert {each.name for each in folder.iterdir()} == names


def test_a_file_is_never_replaced_in_silence(api: Api, tmp_path: Path) -> None:
    file = tmp_path / "new" / "pages.csv"

    wrote = extract(api, "--format", "csv", "-o", str(file))
    refused = extract(api, "--format", "csv", "-o", str(file))
    forced = extract(api, "--format", "json", "-o", str(file), "--force")

    assert (wrote.code, refused.code, forced.code) == (0, 2, 0)
    assert "is there; --force replaces it." in refused.err
    assert json.loads(file.read_text())["success"] is True
    assert [each.name for each in file.parent.iterdir()] == ["pages.csv"]


@pytest.mark.parametrize(
    ("named", "form", "reason"),
    [
        ("{folder}/", "csv", "a folder has a file for each page, and csv is one file for all"),
        ("{file}/", "markdown", "'{file}/' is no folder"),
    ],
)
def test_a_place_that_cannot_be_is_said(tmp_path: Path, named: str, form: str, reason: str) -> None:
    (tmp_path / "file").write_text("x")
    places = {"folder": tmp_path, "file": tmp_path / "file"}

    failure = read_output_option(named.format(**places), form, force=True).failure()  # type: ignore[arg-type]  # one of the formats

    assert failure.reason == reason.format(**places)


@pytest.mark.parametrize("named", ["{file}/deep/a.md", "{file}/deep/", "{closed}/a.md"])
def test_a_place_that_cannot_be_written_is_known_before_anything_is_fetched(
    tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "closed").mkdir()

    def closed(dir: Path) -> object:  # noqa: A002  as it is called
        raise OSError(EACCES, "Permission denied", str(dir))

    if "closed" in named:
        monkeypatch.setattr(output_files, "TemporaryFile", closed)
    place = named.format(file=tmp_path / "file", closed=tmp_path / "closed")

    failure = read_output_option(place, None, force=False).failure()
    ran = webseam("extract", "http://10.0.0.1/", "-o", place)

    assert failure.reason.startswith(f"{place!r} cannot be written: ")
    assert ran.code == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["closed", "file"]


def test_an_address_that_fills_the_screen_is_cut() -> None:
    harvest = Harvest(["x" * 9000], None)
    harvest.write_page("x" * 9000, failing("x" * 9000, late=False))

    lines = list(harvest_failure_lines(harvest, TerminalLook(person=True, width=100)))

    assert len("".join(lines)) < 300


@pytest.mark.parametrize(
    ("named", "form", "written"),
    [
        ("a.csv", None, "csv"),
        ("a.JSON", None, "json"),
        ("a.jsonl", None, "jsonl"),
        ("a.txt", None, "text"),
        ("a.md", None, "markdown"),
        ("a.html", None, "html"),
        ("odd", None, "markdown"),
        ("a.csv", "json", "json"),
        ("a.csv/", None, "markdown"),
    ],
)
def test_a_file_s_name_says_the_format_unless_a_flag_does(
    tmp_path: Path, named: str, form: Format | None, written: str
) -> None:
    destination = read_output_option(f"{tmp_path}/{named}", form, force=False).unwrap()

    assert destination is not None
    assert destination.form == written


def test_names_are_safe_short_and_their_own() -> None:
    odd = [
        "https://a.example/../../etc/passwd",
        "https://a.example/" + "é" * 300,
        "x",
        "https://a.example/?q=1",
        "https://a.example/?q=2",
    ]

    names = [output_page_name(url, ".md") for url in odd]

    assert len(set(names)) == len(names)
    assert all(len(name) < 100 and "/" not in name and name.isascii() for name in names)
    assert not any(name.startswith(".") for name in names)


def test_a_disk_that_cannot_be_written_to_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    failure = write_output_file(tmp_path / "file" / "page.md", "text").failure()

    assert failure.reason in ("file exists", "not a directory")


def test_an_interrupt_tells_what_was_kept_and_how_to_go_on(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(120)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command = interruptible(
            "webseam.composition.doors.cli",
            "extract",
            ROWS,
            FAILURES,
            "--endpoint",
            address,
            "-o",
            "out/",
        )
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", **STARTING},
        )
        connection, _ = silent.accept()
        with connection:
            connection.recv(1)
            process.send_signal(signal.SIGINT)
            output, complaint = process.communicate(timeout=120)

    assert (process.returncode, output) == (130, b"")
    assert complaint.decode().splitlines() == [
        "",
        "! Stopped; what was read is kept.",
        "  0 read · 2 not reached",
        "",
        (
            f"  Go on  webseam extract - --endpoint {address} -o out/ < out{os.sep}failed.txt   "
            "the 2 that may work"
        ),
    ]


def failing(url: str, *, late: bool) -> CallOutcome:
    error = Timeout(phase="body", url=url) if late else HttpStatus(status=404, url=url)
    return CallOutcome(reply=envelope_reply(failure_envelope(error), error))


def test_failures_are_grouped_by_kind_and_fit_60_columns() -> None:
    urls = [f"https://old.example/page/{number}" for number in range(6)]
    harvest = Harvest(urls, None)
    for number, url in enumerate(urls[:5]):
        harvest.write_page(url, failing(url, late=number < 2))
    look = TerminalLook(person=True, width=60)

    summary = list(harvest_summary_lines(harvest, harvest.write_failed_urls(), 1.0, look))
    stopped = list(harvest_stopped_lines(harvest, harvest.write_failed_urls(), look))

    assert "   3  http_status  old.example/page/2, old.example/page/3" in summary
    assert "   2  timeout      old.example/page/0, old.example/page/1" in summary
    assert "  0 read · 5 failed · 1 not reached" in stopped
    assert all(len(line) <= 60 for line in (*summary, *stopped))


def test_a_page_that_the_policy_refused_can_be_asked_about() -> None:
    url = "http://10.0.0.1/"
    harvest = Harvest([url], None)
    error = UrlDenied(url=url, rule="private", stage="address")
    harvest.write_page(url, CallOutcome(reply=envelope_reply(failure_envelope(error), error)))

    lines = list(
        harvest_summary_lines(
            harvest, harvest.write_failed_urls(), 1.0, TerminalLook(person=True, width=60)
        )
    )

    assert lines[-1] == "  Why  webseam policy check http://10.0.0.1/"


def test_a_page_that_may_come_yet_is_written_down_and_struck_off(tmp_path: Path) -> None:
    urls = ["https://old.example/gone", "https://old.example/late"]
    destination = read_output_option(f"{tmp_path}/", "markdown", force=False).unwrap()
    harvest = Harvest(urls, destination)
    for url in urls:
        harvest.write_page(url, failing(url, late=url.endswith("late")))

    again = harvest.write_failed_urls()
    written = (tmp_path / "failed.txt").read_text()
    Harvest([], destination).write_failed_urls()

    assert again == [urls[1]]
    assert written == f"{urls[1]}\n"
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_was_stopped_says_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    report = IndexReport(argparse.Namespace(action="add", json=False, verbose=False))
    report.tally.begin(4)
    outcomes: tuple[IngestOutcome, ...] = ("added", "unchanged")
    for outcome in outcomes:
        report.tally.count_document(
            IngestResult(item=IngestItem(location="a", url="u", source="s"), outcome=outcome)
        )

    code = report.print_stop("webseam index add docs/")

    assert code == 130
    assert capsys.readouterr().err.splitlines() == [
        "",
        "! Stopped; finished work is stored.",
        "  1 added · 1 unchanged · 2 not reached",
        "",
        "  Go on  webseam index add docs/   skips what is unchanged",
    ]
