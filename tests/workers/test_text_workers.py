"""Text is transformed in workers, by callers with an event loop and without one."""

import asyncio

import pytest

from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import Workers
from webseam.adapters.transforms.passages import ExtractiveCompressor, condense
from webseam.adapters.transforms.table import TransformName
from webseam.adapters.transforms.text_workers import TEXT_CONVERTER, TextWorkers, text_workers
from webseam.ports.errors import ParseFailed

LONG = "# Tides\n\n" + "High at *noon*. [a](/b) ![c](/d)\n\n" * 50
QUESTION = "When is it high?"


@pytest.mark.parametrize(
    ("name", "detail", "part"),
    [
        ("html", "", "<em>noon</em>"),
        ("text", "", "Tides\n\nHigh at noon. a"),
        ("links", "https://a.example/", '[["a","https://a.example/b"]]'),
        ("images", "", '[["c","/d"]]'),
        ("without_images", "", "[a](/b) \n"),
        ("passages", "200 When is it high?", "High at *noon*."),
    ],
)
def test_each_transformation_runs_in_a_confined_worker(
    name: TransformName, detail: str, part: str
) -> None:
    assert part in asyncio.run(text_workers.transform(name, LONG, detail)).unwrap()
    assert part in text_workers.transform_blocking(name, LONG, detail).unwrap()


def test_tiny_texts_need_no_worker() -> None:
    workers = TextWorkers(Workers(1, converter="nowhere.at.all:convert"))

    assert workers.transform_blocking("html", "*a*").unwrap() == "<p><em>a</em></p>\n"
    assert asyncio.run(workers.transform("html", "*a*")).unwrap() == "<p><em>a</em></p>\n"


def test_a_text_that_takes_too_long_is_a_failure() -> None:
    limits = WorkerLimits(cpu_seconds=0.2, wall_seconds=20.0)
    pool = Workers(1, limits, converter=TEXT_CONVERTER)

    outcome = TextWorkers(pool).transform_blocking("html", "[" * 4_000_000)
    pool.close()

    assert outcome.failure() == ParseFailed(reason="out_of_time")


def test_passages_of_a_text_that_takes_too_long_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Workers(1, WorkerLimits(start_seconds=0.3), converter="tests.workers.hostile:never")
    monkeypatch.setattr(text_workers, "_workers", broken)

    passages = asyncio.run(condense(LONG, QUESTION, 200))
    compressed = asyncio.run(ExtractiveCompressor(200)(LONG, QUESTION))
    broken.close()

    assert passages == ""
    assert compressed.failure().kind == "parse_failed"
