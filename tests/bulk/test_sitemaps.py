"""Sitemaps and feeds: nested, broken, of other kinds."""

from pathlib import Path

import pytest

from tests.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.bulk.samples import Here, run
from tests.bulk.test_extract import rows
from webseam.adapters.crawling.sitemaps import MOST_URLS, SiteList, read_list
from webseam.composition.bulk.watch import Watch

XML = {"Content-Type": "application/xml"}


def index(*places: str) -> Answer:
    named = "".join(f"<sitemap><loc>{place}</loc></sitemap>" for place in places)
    return Answer(body=f"<sitemapindex>{named}</sitemapindex>".encode(), headers=XML)


def listing(*places: str) -> Answer:
    named = "".join(f"<url><loc>{place}</loc></url>" for place in places)
    return Answer(body=f"<urlset>{named}</urlset>".encode(), headers=XML)


def test_a_sitemap_that_cannot_be_read_is_a_row_and_the_others_are_read(tmp_path: Path) -> None:
    site = Site(
        {
            "/index.xml": index("ROOT/gone.xml", "ROOT/one.xml", "ROOT/cut.xml", "ROOT/index.xml"),
            "/one.xml": listing("ROOT/a", "/b", "ROOT/a"),
            "/cut.xml": Answer(body=b"<urlset><url><loc>ROOT/x</lo", headers=XML),
            "/a": page("First"),
            "/b": page("Second"),
        }
    )
    with sites(site):
        run(tmp_path / "out", f"{site.root}/index.xml", policy=local_policy(site), delay=0.0)

    made = [
        (str(row["url"]).removeprefix(site.root), row["error"]) for row in rows(tmp_path / "out")
    ]
    assert made == [
        ("/gone.xml", "source_unreadable"),
        ("/a", None),
        ("/b", None),
        ("/cut.xml", "source_unreadable"),
    ]
    assert site.paths.count("/gone.xml") == 1


def test_sitemaps_that_lead_on_without_end_are_left_at_some_depth(tmp_path: Path) -> None:
    pages = {f"/{step}.xml": index(f"ROOT/{step + 1}.xml") for step in range(9)}
    site = Site(
        {**pages, "/0.xml": index("ROOT/1.xml", "ROOT/list.xml"), "/list.xml": listing("ROOT/a")}
    )
    with sites(site):
        run(tmp_path / "out", f"{site.root}/0.xml", policy=local_policy(site), delay=0.0)

    made = [
        (str(row["url"]).removeprefix(site.root), row["error"]) for row in rows(tmp_path / "out")
    ]
    assert made == [("/a", "http_status"), ("/4.xml", "source_unreadable")]


def test_only_so_many_sitemaps_are_read_of_one(tmp_path: Path) -> None:
    places = [f"http://10.0.0.1/{number}.xml" for number in range(1002)]
    source = tmp_path / "index.xml"
    source.write_bytes(listing("http://10.0.0.1/a").body + index(*places).body)
    source.write_bytes(b"<both>" + source.read_bytes() + b"</both>")

    run(tmp_path / "out", source)

    made = [(str(row["url"]), str(row["error_json"])) for row in rows(tmp_path / "out")]
    assert len(made) == 1003
    assert [url for url, said in made if "1,000 sitemaps" in said] == places[1000:]


def test_a_stop_ends_the_reading_of_sitemaps_too(tmp_path: Path) -> None:
    places = [f"ROOT/{number}.xml" for number in range(50)]
    site = Site({"/index.xml": index(*places), "/robots.txt": text("")})
    with sites(site):
        watch = Watch(converter=Here(), is_stopping=lambda: len(site.asked) > 3)
        end = run(
            tmp_path / "out",
            f"{site.root}/index.xml",
            policy=local_policy(site),
            watch=watch,
            delay=0.0,
        ).unwrap()

    assert end.summary is None
    assert len(site.asked) < 10
    assert not (tmp_path / "out" / "_plan.json").exists()


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (
            b'{"version": "1", "items": [{"url": "https://a.example/1"}, {"id": 3}]}',
            ["https://a.example/1"],
        ),
        (
            b'\xef\xbb\xbf{"items": [{"external_url": "https://a.example/2"}]}',
            ["https://a.example/2"],
        ),
        (b"https://a.example/3\n\n", ["https://a.example/3"]),
        (b" \n", []),
        (b"", []),
    ],
)
def test_a_feed_may_be_json_and_a_list_plain(body: bytes, pages: list[str]) -> None:
    assert list(read_list(body).unwrap().pages) == pages


@pytest.mark.parametrize("body", [b'{"error": "gone"}', b"{", b"Not found", b"<p>Not found"])
def test_what_lists_nothing_is_no_list(body: bytes) -> None:
    assert "no sitemap and no feed" in read_list(body).failure().message


def test_a_list_that_names_too_much_says_so() -> None:
    urls = [f"https://a.example/{number}" for number in range(MOST_URLS + 1)]

    for body in (listing(*urls).body, "\n".join(urls).encode()):
        assert read_list(body).unwrap() == SiteList(pages=tuple(urls[:-1]), is_cut=True)
    for body in (listing(*urls[:-1]).body, "\n".join(urls[:-1]).encode()):
        assert read_list(body).unwrap() == SiteList(pages=tuple(urls[:-1]))
