"""The page about a run: readable on a small screen, and no count without its bar."""

import re

from webseam.composition.features.bulk.manifest import bulk_report_page
from webseam.kernel.features.bulk.counts import LATENCY_BOUNDS, ShardEntry


def _entry(ok: int, errors: dict[str, int], hosts: dict[str, int]) -> ShardEntry:
    rows = ok + sum(errors.values())
    return ShardEntry(
        shard=0,
        name="part-000000.parquet",
        rows=rows,
        ok=ok,
        kept=rows,
        errors=errors,
        hosts=hosts,
        languages={},
        bytes=1,
        characters=1,
        sha256="",
        unsure=0,
        began=0.0,
        seconds=2.0,
        latencies=[rows] + [0] * len(LATENCY_BOUNDS),
    )


def test_every_count_has_a_bar_and_nothing_none() -> None:
    page = bulk_report_page(9001, [_entry(0, {"http_status": 9000, "bad_encoding": 1}, {})], "page")

    bars = re.findall(r"<tr><td>([^<]*)<td class=n>([^<]*)<td class=b>(<i)?", page)
    assert ("http_status", "9,000", "<i") in bars
    assert ("bad_encoding", "1", "<i") in bars
    assert ("over 30 s", "0", "") in bars


def test_a_page_fits_the_screen_it_is_on() -> None:
    page = bulk_report_page(2, [_entry(1, {"http_status": 1}, {"<b>" + "a" * 300: 1})], "page")

    assert "<meta name=viewport content='width=device-width'>" in page
    # Words in a picture shrink with it.
    assert "<text" not in page
    assert "1.0 rows a second at most, 2 s in all" in page
    assert not re.search(r"style='width:\d+px", page)
    assert "&lt;b&gt;" in page


def test_a_run_without_rows_has_a_page_too() -> None:
    page = bulk_report_page(0, [], "page")

    assert "0 of 0 rows" in page
    assert "<svg" not in page
