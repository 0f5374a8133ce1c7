"""Runs that are stopped while somebody still waits: what was not asked is asked by the next."""

import asyncio
from pathlib import Path

import pytest

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.nodes import FakeNodes
from tests.features.bulk.samples import Here, rows, run
from webseam.composition.features.bulk import crawl as crawling
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.crawl import CrawlOptions
from webseam.composition.features.bulk.options import BulkOptions
from webseam.kernel.features.bulk.frontier import CrawlRules

# Whoever asks for it waits, and would ask again.
_BUSY = Answer(503, headers={"Retry-After": "50"})


@pytest.mark.parametrize("engine", ["local", "ray"])
def test_a_stop_before_robots_txt_was_read_closes_no_host(engine: str, tmp_path: Path) -> None:
    site = Site({"/robots.txt": [_BUSY, text("")], "/a": page("First"), "/b": page("Second")})
    nodes = FakeNodes() if engine == "ray" else None
    with sites(site):
        urls = [f"{site.root}/a", f"{site.root}/b"]
        for stop in (lambda: bool(site.paths), lambda: False):
            watch = RunWatch(converter=Here(), nodes=nodes, is_stopping=stop)
            run(
                tmp_path / "out",
                *urls,
                watch=watch,
                policy=local_policy(site),
                delay=0.0,
                engine=engine,
            ).unwrap()

    assert [row["error"] for row in rows(tmp_path / "out")] == [None, None]


@pytest.mark.parametrize("busy", ["/robots.txt", "/sitemap.xml"])
def test_a_crawl_that_is_stopped_before_it_read_the_sitemap_does_not_go_without(
    busy: str, tmp_path: Path
) -> None:
    listed = Answer(
        body=b"<urlset><url><loc>ROOT/listed</loc></url></urlset>",
        headers={"Content-Type": "application/xml"},
    )
    site = Site({"/robots.txt": text(""), "/sitemap.xml": listed, "/": page("Home")})
    site.pages["/listed"] = [page("Listed")]
    site.pages[busy].insert(0, _BUSY)

    def crawl(watch: RunWatch) -> object:
        options = CrawlOptions(rules=CrawlRules(start=f"{site.root}/"))
        fields = BulkOptions(inputs=(), folder=str(tmp_path / "out"), delay=0.0, workers=1)
        return asyncio.run(crawling.run_crawl(options, fields, local_policy(site), watch)).unwrap()

    with sites(site):
        stopped = crawl(RunWatch(converter=Here(), is_stopping=lambda: busy in site.paths))
        left = list(tmp_path.iterdir())
        crawl(RunWatch(converter=Here()))

    assert stopped is None
    assert left == []
    assert [row["title"] for row in rows(tmp_path / "out")] == ["Home", "Listed"]


def test_a_stop_ends_an_open_shard_and_the_next_run_makes_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(40):
        (tmp_path / "in" / f"{number:02}.txt").write_text(f"Page {number} tells of tides.")
    read: list[object] = []
    watch = RunWatch(converter=Here(), on_row=read.append, is_stopping=lambda: len(read) > 1)

    stopped = run(tmp_path / "out", str(tmp_path / "in"), watch=watch).unwrap()
    ended = run(tmp_path / "out", str(tmp_path / "in"), watch=RunWatch(converter=Here()))

    assert stopped.summary is None
    assert len(read) == 2
    assert ended.unwrap().summary is not None
    assert len(rows(tmp_path / "out")) == 40
