"""What pages ask of robots beside robots.txt: links left alone, words that rows repeat."""

import json
from pathlib import Path

import pytest

from tests.features.bulk.farm import Site, crawl, linked, meta, page, sites
from tests.features.bulk.samples import rows
from webseam.kernel.pages.robots_directives import parse_robots_directives, robots_forbid_links


@pytest.mark.parametrize(
    ("values", "wishes"),
    [
        ((), ()),
        (("index, follow, max-snippet:-1",), ()),
        (("noindex, NoFollow", "noarchive"), ("noarchive", "nofollow", "noindex")),
        (("none",), ("none",)),
        (("MyBot: noindex, nofollow",), ("mybot: nofollow", "mybot: noindex")),
        (("mybot: noindex, otherbot: nofollow",), ("mybot: noindex", "otherbot: nofollow")),
        (("noai, *: noindex",), ("noai", "noindex")),
        (("unavailable_after: Friday, 25-Jun-27 15:00:00 GMT, nosnippet",), ("nosnippet",)),
        (("max-image-preview: none, nofollow",), ("nofollow",)),
        (("nothing to see here, no", "no" * 99), ()),
    ],
)
def test_wishes_are_told_with_the_name_of_whom_they_mean(
    values: tuple[str, ...], wishes: tuple[str, ...]
) -> None:
    assert parse_robots_directives(values) == wishes


@pytest.mark.parametrize(
    ("wish", "closed"),
    [
        ("nofollow", True),
        ("none", True),
        ("noindex", False),
        ("webseam: nofollow", True),
        ("WebSeam: none", True),
        ("googlebot: nofollow", False),
        ("", False),
    ],
)
def test_links_are_closed_to_all_or_to_the_one_that_is_named(wish: str, *, closed: bool) -> None:
    assert robots_forbid_links((wish,), "Webseam") is closed


@pytest.mark.parametrize("words", [(), ("--user-agent", "MyBot/2.0")])
def test_a_crawl_leaves_links_alone_where_an_answer_or_a_page_asks_so(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(
        {
            "/": page("Home", *(f"/{name}" for name in "abcdef")),
            "/a": linked(page("A", "/of-a"), X_Robots_Tag="noindex, nofollow"),
            "/b": linked(page("B", "/of-b"), X_Robots_Tag="none"),
            "/c": linked(page("C", "/of-c"), X_Robots_Tag="MyBot: nofollow"),
            "/d": linked(page("D", "/of-d"), X_Robots_Tag="noindex"),
            "/e": meta(page("E", "/of-e"), "mybot", "nofollow"),
            "/f": meta(page("F", "/of-f"), "robots", "noindex,follow"),
            **{f"/of-{name}": page(f"Of {name}") for name in "abcdef"},
        }
    )
    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, "--depth", "2", *words)

    followed = {path for path in site.paths if path.startswith("/of-")}
    others = set() if words else {"/of-c", "/of-e"}
    assert followed == {"/of-d", "/of-f", *others}
    wishes = {
        str(row["url"]).removeprefix(site.root): json.loads(str(row["metadata"])).get("robots")
        for row in rows(tmp_path / "out")
    }
    assert wishes["/"] is None
    assert wishes["/a"] == ["nofollow", "noindex"]
    assert wishes["/c"] == ["mybot: nofollow"]
    assert wishes["/d"] == ["noindex"]
    assert wishes["/f"] == ["noindex"]
