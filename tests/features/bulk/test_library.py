"""``webseam.bulk`` from Python, searches, and duplicates."""

import asyncio
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from returns.result import Failure, Result, Success

import webseam.bulk
from tests.features.bulk.samples import html, packed, run
from webseam import WebseamError
from webseam.adapters.features.bulk.datasets.minhash import has_known_signature
from webseam.composition.doors.cli import main
from webseam.composition.features.bulk.bulk_searches import SearchOptions, run_queries_with
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.dataset_duplicates import first_row_error
from webseam.composition.features.bulk.library import run_bulk_blocking
from webseam.composition.features.testing.clients import fake_web
from webseam.kernel.features.bulk.near_duplicates import PERMUTATION_COUNT, DuplicateGroups
from webseam.ports.errors import InvalidQuery, RateLimited, UnknownBackend, WebError
from webseam.ports.web import SearchOutcome

TEXT = " ".join(f"word{number} and more of that" for number in range(60))


def test_a_run_from_python_and_its_rows(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1) + packed(2, status=404))
    seen: list[int] = []

    summary = webseam.bulk.extract(
        source, tmp_path / "out", form="jsonl", workers=1, on_row=lambda row: seen.append(row.row)
    )
    webseam.bulk.report(tmp_path / "out", tmp_path / "report.html")

    assert (summary.ok, summary.failed) == (1, 1)
    assert seen == [0, 1]
    assert [row.title for row in webseam.bulk.rows(tmp_path / "out")] == ["Page 1", None]
    assert webseam.bulk.status(tmp_path / "out").over
    with pytest.raises(WebseamError, match="there is no file"):
        webseam.bulk.extract([tmp_path / "gone.warc"], tmp_path / "other")
    with pytest.raises(WebseamError, match="cannot begin at this address"):
        webseam.bulk.crawl("nonsense", tmp_path / "site")


def test_a_run_inside_a_loop_as_notebooks_have_one(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))

    async def cell() -> int:
        return webseam.bulk.extract(source, tmp_path / "out", workers=1).ok

    assert asyncio.run(cell()) == 1


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Have SIGINT raise, as notebooks do: asyncio would cancel its own task instead."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    yield
    signal.signal(signal.SIGINT, before)


def is_waiting(thread: threading.Thread) -> bool:
    """Tell whether a thread waits for what a future will bring."""
    frames = sys._current_frames()  # noqa: SLF001  documented, whatever its name says
    within = traceback.extract_stack(frames[thread.ident or 0])
    return [frame.name for frame in within][-2:] == ["result", "wait"]


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_in_a_notebook_lets_what_is_under_way_end() -> None:
    ended = False

    async def work(is_stopping: Callable[[], bool]) -> None:
        nonlocal ended
        while not is_waiting(threading.main_thread()):  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        # Bounded, so that a run which is never told to stop fails the test; the thread that is
        # interrupted may have to wait for its processor.
        async with asyncio.timeout(60):
            while not is_stopping():  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0)
        ended = True

    async def cell() -> None:
        run_bulk_blocking(work)

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(cell())
    assert ended


def test_rows_that_cannot_be_had_are_said(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1) + packed(2))
    for form, name in (("parquet", "part-000001.parquet"), ("jsonl", "part-000001.jsonl")):
        out = tmp_path / form
        run(out, source, form=form, per_shard=1).unwrap()
        whole = (out / name).read_bytes()
        (out / name).write_bytes(whole[:-20] + bytes(20))
        with pytest.raises(WebseamError, match="is damaged"):
            list(webseam.bulk.rows(out))
        with pytest.raises(WebseamError, match="is damaged"):
            webseam.bulk.mark_duplicates(out)
        (out / name).write_bytes(whole[:-20])
        with pytest.raises(WebseamError, match=f"{name} is missing or damaged"):
            list(webseam.bulk.rows(out))
        (out / name).unlink()
        with pytest.raises(WebseamError, match=f"{name} is missing or damaged"):
            webseam.bulk.mark_duplicates(out)
    ask_all(tmp_path / "answers", "tides")
    with pytest.raises(WebseamError, match="holds answers to searches, no pages"):
        webseam.bulk.rows(tmp_path / "answers")
    with pytest.raises(WebseamError, match="holds answers to searches, no pages"):
        webseam.bulk.mark_duplicates(tmp_path / "answers")
    with pytest.raises(WebseamError, match="holds no run"):
        webseam.bulk.rows(tmp_path / "nowhere")


def test_duplicates_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    source.write_bytes(packed(1))
    run(tmp_path / "out", source).unwrap()
    (tmp_path / "out" / "_duplicates.sqlite").mkdir()

    with pytest.raises(WebseamError, match="the run cannot be used"):
        webseam.bulk.mark_duplicates(tmp_path / "out")


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_duplicates_are_marked_by_the_smallest_row(form: str, tmp_path: Path) -> None:
    source = tmp_path / "a.warc.gz"
    bodies = [
        html("A", TEXT),
        html("B", "Other words " * 40),
        html("A", TEXT),
        html("A", TEXT.replace("word7 ", "sword ")),
        b"",
    ]
    source.write_bytes(b"".join(packed(number, body) for number, body in enumerate(bodies)))
    run(tmp_path / "out", source, form=form, per_shard=2).unwrap()

    counts = webseam.bulk.mark_duplicates(tmp_path / "out")
    first = (tmp_path / "out" / f"_duplicates.{form}").read_bytes()
    # Readers of folders pass over names that begin so.
    assert {path.name[:5] for path in (tmp_path / "out").glob("[!_]*")} == {"part-"}
    webseam.bulk.mark_duplicates(tmp_path / "out")

    assert (counts.pages, counts.exact, counts.near) == (4, 1, 2)
    assert (tmp_path / "out" / f"_duplicates.{form}").read_bytes() == first
    if form == "jsonl":
        assert [msgspec.json.decode(line) for line in first.splitlines()] == [
            {"row": 2, "duplicate_of": 0, "near_duplicate_of": 0},
            {"row": 3, "duplicate_of": None, "near_duplicate_of": 0},
        ]


def test_duplicates_want_a_run_that_is_over(tmp_path: Path) -> None:
    with pytest.raises(WebseamError, match="holds no finished run"):
        webseam.bulk.mark_duplicates(tmp_path)


def test_the_library_hashes_as_it_did() -> None:
    assert has_known_signature(PERMUTATION_COUNT)


def test_groups_are_named_by_their_smallest_row_in_any_order() -> None:
    pairs = [(4, 5), (2, 3), (3, 4), (0, 9), (5, 4)]

    for order in (pairs, pairs[::-1]):
        groups = DuplicateGroups(order)
        assert [groups.first_row(row) for row in (2, 3, 4, 5, 9, 7)] == [2, 2, 2, 2, 0, 7]
        assert groups.duplicate_rows() == [3, 4, 5, 9]


def ask_all(
    folder: Path,
    *queries: str,
    watch: RunWatch | None = None,
    stdin: bytes = b"",
    known: frozenset[str] = frozenset(),
    **fields: object,
) -> Result[object, WebError]:
    """Ask a fake that refuses one query and answers the others."""
    options = msgspec.convert(
        {"queries": queries, "folder": str(folder), "form": "jsonl", **fields}, SearchOptions
    )

    async def work() -> Result[object, WebError]:
        async with fake_web() as client:

            async def ask(query: str) -> Result[SearchOutcome, WebError]:
                if query == "busy":
                    return Failure(RateLimited())
                if query == "unknown" and query not in known:
                    return Failure(UnknownBackend(name="nobody"))
                return await client.search(query)

            return await run_queries_with(ask, options, watch or RunWatch(), io.BytesIO(stdin))

    return asyncio.run(work())


def search_rows(folder: Path) -> list[dict[str, object]]:
    lines = (
        line for path in sorted(folder.glob("part-*")) for line in path.read_bytes().splitlines()
    )
    return [msgspec.json.decode(line) for line in lines]


def test_every_query_is_a_row_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    listed = tmp_path / "queries.csv"
    listed.write_text("query\ntides\nbusy\n\n")
    stopped = ask_all(
        tmp_path / "out", str(listed), "bread", watch=RunWatch(is_stopping=lambda: True)
    )
    assert isinstance(stopped, Success)
    assert not search_rows(tmp_path / "out")

    assert isinstance(ask_all(tmp_path / "out", str(listed), "bread"), Success)
    made = search_rows(tmp_path / "out")

    assert [(row["query"], row["error"]) for row in made] == [
        ("tides", None),
        ("busy", "rate_limited"),
        ("bread", None),
    ]
    (tmp_path / "out" / "part-000000.jsonl").unlink()
    (tmp_path / "out" / "_shards.jsonl").unlink()
    assert isinstance(ask_all(tmp_path / "out", str(listed), "bread"), Success)
    assert [row["query"] for row in search_rows(tmp_path / "out")] == ["tides", "busy", "bread"]
    assert isinstance(ask_all(tmp_path / "out", "bread"), Failure)


def test_a_run_that_nobody_can_answer_stops_and_goes_on_later(tmp_path: Path) -> None:
    refused = ask_all(tmp_path / "out", "tides", "unknown", "bread").failure()
    empty = search_rows(tmp_path / "out")
    again = ask_all(tmp_path / "out", "tides", "unknown", "bread", known=frozenset({"unknown"}))

    assert isinstance(refused, UnknownBackend)
    assert empty == []
    assert isinstance(again, Success)
    assert [row["error"] for row in search_rows(tmp_path / "out")] == [None, None, None]


def test_a_list_without_a_query_has_a_row_that_says_so(tmp_path: Path) -> None:
    listed = tmp_path / "queries.jsonl"
    listed.write_text('{"query": "tides"}\n{"other": 1}\n')

    ask_all(tmp_path / "out", str(listed)).unwrap()

    assert [row["error"] for row in search_rows(tmp_path / "out")] == [None, "invalid_query"]


def test_searches_are_told_as_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask_all(tmp_path / "out", "tides", "busy")

    main(["bulk", "status", str(tmp_path / "out")])
    main(["bulk", "report", str(tmp_path / "out"), str(tmp_path / "page.html")])

    assert "1 answer, 1 failure\n" in capsys.readouterr().out
    assert "<p>1 answer, 1 failure," in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("stdin", [b"tides\nbread\n", b'{"query": "tides"}\n{"query": "bread"}'])
def test_queries_come_from_standard_input_too(stdin: bytes, tmp_path: Path) -> None:
    assert isinstance(ask_all(tmp_path / "out", "-", stdin=stdin), Success)
    again = ask_all(tmp_path / "out", "-", stdin=stdin)
    other = ask_all(tmp_path / "out", "-", stdin=b"moon")

    assert [row["query"] for row in search_rows(tmp_path / "out")] == ["tides", "bread"]
    assert isinstance(again, Success)
    assert isinstance(other, Failure)


@pytest.mark.parametrize(
    ("word", "reason"), [("gone.txt", "there is no file"), ("a.csv", "has no column 'query'")]
)
def test_a_list_of_queries_that_is_none_is_said(word: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name\nx\n")

    failure = ask_all(tmp_path / "out", str(tmp_path / word)).failure()

    assert isinstance(failure, InvalidQuery)
    assert reason in failure.reason


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_first_failure_of_searches_can_be_told(form: str, tmp_path: Path) -> None:
    ask_all(tmp_path / "out", "bread", "busy", form=form).unwrap()

    assert first_row_error(tmp_path / "out") == RateLimited(backend="pages")
