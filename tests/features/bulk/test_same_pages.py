"""Pages under several URLs in a crawl: each stands in its row, and the later ones say so."""

import gzip
from pathlib import Path

import pytest

from tests.features.bulk.farm import Answer, Site, crawl, own, page, same_pages, sites
from tests.features.bulk.samples import rows
from webseam.adapters.features.bulk.datasets import warc
from webseam.kernel.features.bulk.frontier import CrawlRules, Frontier


def test_later_pages_that_call_themselves_the_same_are_marked_and_lead_on_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = own(page("Tea", "/t?sort=3"), "/t")
    site = Site(
        {
            "/": page("Home", "/t?sort=1", "/t?sort=2", "/old", "/new", "/other"),
            "/t?sort=1": tea,
            "/t?sort=2": tea,
            "/t?sort=3": tea,
            "/old": Answer(301, headers={"Location": "/new"}),
            "/new": page("New"),
            "/other": page("Other"),
        }
    )
    with sites(site):
        first = crawl(site, tmp_path / "out", monkeypatch, "--depth", "2")
        files = {path.name: path.read_bytes() for path in (tmp_path / "out" / "_warc").iterdir()}
        asked = len(site.asked)
        again = crawl(site, tmp_path / "out", monkeypatch, "--depth", "2")

    assert (first, again, len(site.asked)) == (0, 0, asked)
    assert same_pages(site, tmp_path / "out") == {
        "/": None,
        "/t?sort=1": None,
        "/t?sort=2": "/t?sort=1",
        "/old": None,
        "/new": "/old",
        "/other": None,
        "/t?sort=3": "/t?sort=1",
    }
    assert all(row["content"] for row in rows(tmp_path / "out"))
    for name, body in files.items():
        assert (tmp_path / "out" / "_warc" / name).read_bytes() == body
        assert gzip.decompress(body).startswith(b"WARC/1.1")


def test_a_mark_moves_nothing_else_and_is_not_taken_over_by_a_later_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = page("Tea")._replace(headers={"ETag": '"1"'})
    site = Site(
        {
            "/": page("Home", "/a", "/b", "/c"),
            "/a": own(tagged, "/t"),
            "/b": own(tagged, "/t"),
            "/c": page("C")._replace(headers={"ETag": '"2"'}),
        }
    )
    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, "--depth", "1", "--no-sitemap")
    (path,) = (tmp_path / "out" / "_warc").glob("round-001*")

    items = list(warc.read_warc_inputs(path, 0, "x"))
    kept = [page.url.removeprefix(site.root) for page in warc.validated_warc_pages(path)]
    assert [item.same_page and item.same_page.removeprefix(site.root) for item in items] == [
        None,
        "/a",
        None,
    ]
    assert items[0].body == items[1].body
    assert kept == ["/a", "/c"]


def test_a_page_is_known_by_any_of_its_names() -> None:
    frontier = Frontier(CrawlRules(start="https://a.example/"))

    assert frontier.find_same_page("https://a.example/1", "https://a.example/1", "") is None
    assert frontier.find_same_page("https://a.example/2", "https://A.example/1#x") == (
        "https://a.example/1"
    )
    assert frontier.find_same_page("https://a.example/3", "https://a.example/3", "nonsense") is None


def test_a_page_is_known_by_every_name_that_one_of_its_names_came_with() -> None:
    frontier = Frontier(CrawlRules(start="https://a.example/"))
    first, second, third = (f"https://a.example/t?sort={number}" for number in (1, 2, 3))

    assert frontier.find_same_page(first, first, "https://a.example/t") is None
    assert frontier.find_same_page(second, second, "https://a.example/t") == first
    assert frontier.find_same_page(third, second) == first
