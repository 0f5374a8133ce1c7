"""A worker that is taken over reaches nothing, and one that is not notices nothing."""

import gzip
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.features.documents import build, containers, slide_files, word_files, workbooks
from tests.workers.break_out import CONVERTER
from webseam.adapters.features.documents.conversion import convert
from webseam.adapters.pages.workers.child import ConversionJob
from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import CONVERTER as USUAL
from webseam.adapters.pages.workers.process import ForkServer, WorkerProcess, import_path
from webseam.adapters.pages.workers.sandbox import Confinement

ROOT = Path(__file__).parents[2]
LIMITS = WorkerLimits(cpu_seconds=20.0)


Start: TypeAlias = Callable[[str], WorkerProcess]


@pytest.fixture(params=["started", "forked"])
def started(request: pytest.FixtureRequest) -> Iterator[Start]:
    """Yield what starts a worker, by itself or as a fork."""
    with ExitStack() as servers:

        def start(converter: str) -> WorkerProcess:
            server = ForkServer(converter, LIMITS) if request.param == "forked" else None
            if server is not None:
                servers.callback(server.end)
            worker = WorkerProcess(converter, LIMITS, server)
            assert worker.is_ready()
            return worker

        yield start


@pytest.fixture
def confined(started: Start) -> Start:
    def start(converter: str) -> WorkerProcess:
        worker = started(converter)
        if not worker.confinement.seccomp:
            worker.end()
            pytest.skip("this system has no seccomp for us")
        return worker

    return start


def job(body: bytes, content_type: str = "") -> ConversionJob:
    return ConversionJob(body=body, content_type=content_type, url="https://e.example/a")


def test_hostile_code_in_a_worker_reaches_nothing(confined: Start) -> None:
    worker = confined(CONVERTER)

    answer = worker.convert_job(job(b""))
    worker.end()

    assert answer is not None
    assert answer.page is not None
    assert answer.page.content == ""
    assert worker.confinement.proven


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="it has no second set of calls")
def test_a_call_of_another_architecture_is_the_end_of_a_worker(confined: Start) -> None:
    worker = confined(CONVERTER)

    assert worker.convert_job(job(b"foreign call")) is None
    assert worker.end() == -31


FEED = b"""<rss><channel><title>F</title><item><title>I</title>
<pubDate>Mon, 02 Jan 2023 10:00:00 GMT</pubDate><description>words</description></item></channel></rss>
"""
MAIL = b"""From: =?iso-2022-jp?b?GyRCRnwbKEI=?= <a@e.org>
To: =?utf-8?q?J=C3=BC?= <b@e.org>
Date: Tue, 5 Mar 2024 10:00:00 +0000
Content-Type: multipart/mixed; boundary=X

--X
Content-Type: text/plain; charset=koi8-r
Content-Transfer-Encoding: base64

8NLJ18XU
--X
Content-Type: text/plain; name*=utf-8''%C3%BC.txt
Content-Transfer-Encoding: quoted-printable

a=3Db
--X--
"""
BODIES = {
    "html": (b"<article><h1>A</h1><p>" + b"Some crust. " * 40 + b"</article>", "text/html"),
    "shell": (
        b"<textarea id=source># A\n\n" + b"Some crust, says the deck. " * 40 + b"</textarea>",
        "text/html",
    ),
    "latin": (b"<p>" + ("Grüße aus Köln. " * 30).encode("cp1252"), "text/html"),
    "japanese": (
        ("<p>" + "日本語の文章。" * 30).encode("shift_jis"),
        "text/html; charset=shift_jis",
    ),
    "utf-16": (("<p>" + "text " * 90).encode("utf-16"), "text/html"),
    "pdf": (build.pdf(["Hello there, reader of pages " * 3] * 3), "application/pdf"),
    "word": (build.docx(build.paragraph("A paragraph of words. " * 20) * 3), ""),
    "sheet": (build.xlsx({"One": "<row><c><v>1</v></c><c><v>2</v></c></row>" * 9}), ""),
    "json": (b'{"a": [1, 2, {"b": "c"}]}', "application/json"),
    "table": (b"a,b,c\n1,2,3\n4,5,6\n", "text/csv"),
    "feed": (FEED, "application/rss+xml"),
    "notebook": (
        b'{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": ["# Title\\n", "words"]}]}',
        "application/x-ipynb+json",
    ),
    "book": (containers.epub(["<h1>A</h1><p>" + "Words. " * 30]), ""),
    "text": (containers.open_document("text", "<text:p>words</text:p>"), ""),
    "rich": (rb"{\rtf1\ansicpg932 \'93\'fa}", ""),
    "mail": (
        MAIL,
        "message/rfc822",
    ),
    "outlook": (containers.outlook({"1000": "words"}, {"a": b"x"}), ""),
    "workbook": (workbooks.simple("x"), ""),
    "workbook of 95": (workbooks.excel_95(b"A", "мост".encode("cp1251"), 1251), ""),
    "older word": (word_files.word("words"), ""),
    "word of 95": (word_files.word_95("мост\r".encode("cp1251"), 0x419), ""),
    "word of 95 in Japan": (word_files.word_95("日本\r".encode("shift_jis"), 0x411), ""),
    "slides": (slide_files.deck(slide_files.slide(slide_files.shape(slide_files.text("x")))), ""),
    "compressed": (gzip.compress("мост".encode("koi8-r") * 30), ""),
    "archive": (containers.tar({"a": b"x"}, "gz"), ""),
    "packed": (containers.tar({"a": b"x"}, "xz"), ""),
    "subtitles": (b"WEBVTT\n\n00:01.000 --> 00:02.000\nwords", "text/vtt"),
    "broken pdf": (b"%PDF-1.7 broken", "application/pdf"),
    "broken zip": (b"PK\x03\x04 broken", ""),
    "picture": (b"\x89PNG\r\n\x1a\n", "image/png"),
    "nothing": (b"", "text/html"),
}


def test_a_confined_worker_reads_what_is_read_without(started: Start) -> None:
    worker = started(USUAL)

    answers = {name: worker.convert_job(job(*body)) for name, body in BODIES.items()}
    worker.end()

    results = {name: answer and answer.result for name, answer in answers.items()}
    assert results == {name: convert(*body, "https://e.example/a") for name, body in BODIES.items()}


@pytest.mark.parametrize("entry", ["", ".", "lib", "{here}", "{here}/lib"])
def test_nothing_in_the_working_folder_is_imported_from(entry: str, tmp_path: Path) -> None:
    usual = sysconfig.get_paths()["purelib"]
    entries = [entry.format(here=tmp_path), "/elsewhere", usual]

    assert import_path(entries, tmp_path) == ["/elsewhere", usual]


def test_an_environment_in_the_working_folder_is_imported_from() -> None:
    environment = Path(sys.prefix)
    libraries = str(environment / "lib" / "site-packages")

    assert import_path([libraries], environment.parent) == [libraries]
    assert import_path([str(environment)], environment) == []


REPL = """
import asyncio, sys
sys.path.insert(0, "")
from webseam.adapters.pages.workers.pool import Workers
async def main():
    async with Workers(1) as workers:
        print((await workers.convert(b"# Title", "text/markdown")).unwrap().title)
asyncio.run(main())
"""


@pytest.mark.parametrize("path", ["", "."])
def test_a_worker_runs_no_code_of_the_folder_that_its_parent_stands_in(
    tmp_path: Path, path: str
) -> None:
    trap = "from pathlib import Path\nPath('sprung').write_text('x')\nraise ImportError\n"
    # None of these is imported by the parent, and all are looked for by a worker.
    for name in ("pypdfium2", "turbohtml", "_strptime", "lzma"):
        (tmp_path / f"{name}.py").write_text(trap, "utf-8")
    # By the tests' own way of finding the package, not by the folder.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [path]))}

    ran = subprocess.run(
        [sys.executable, "-c", REPL],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.stdout, (tmp_path / "sprung").exists()) == ("Title\n", False), ran.stderr


@pytest.mark.parametrize("raw", [b"", b"\x07", b"\x07\x01\x01\x01"])
def test_a_report_that_is_cut_short_says_that_nothing_holds(raw: bytes) -> None:
    assert Confinement.decode(raw) == Confinement()
    assert Confinement.decode(Confinement(7, seccomp=True, proven=True).encode()) == Confinement(
        7, seccomp=True, proven=True
    )
