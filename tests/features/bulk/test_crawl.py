"""A site, breadth first, within its rules and out of its traps."""

import asyncio
import json
from pathlib import Path

import pytest

import webseam
from tests.features.bulk.farm import XML, Answer, Site, crawl, local_policy, page, sites, text
from tests.features.bulk.samples import rows
from webseam.adapters.features.bulk.crawling.links import convert_links
from webseam.composition.features.bulk import crawl as crawling, options as options_module
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.crawl import CrawlOptions
from webseam.composition.features.bulk.dataset_status import read_run_status
from webseam.composition.features.bulk.options import BulkOptions
from webseam.composition.features.bulk.report_lines import run_status_lines
from webseam.kernel.features.bulk.frontier import (
    CrawlRules,
    Frontier,
    check_crawl_patterns,
    crawl_url_shape,
    is_crawl_trap,
)

# Without the header it is asked again only after ten seconds.
BROKEN = Answer(500, headers={"retry-after": "0"})


@pytest.fixture
def site() -> Site:
    listed = b"<urlset><url><loc>ROOT/listed</loc></url></urlset>"
    return Site(
        {
            "/robots.txt": text("User-agent: *\nDisallow: /secret"),
            "/sitemap.xml": Answer(body=listed, headers=XML),
            "/": page("Home", "/a", "/a#top", "/b?x=1", "/secret", "https://elsewhere.example/"),
            "/a": page("A", "/", "/deep", "/day/1"),
            "/b?x=1": page("B", "/a"),
            "/listed": page("Listed"),
            "/deep": page("Deep", "/deeper"),
            **{
                f"/day/{number}": page(f"Day {number}", f"/day/{number + 1}") for number in range(9)
            },
        }
    )


def test_a_crawl_reads_each_page_once_nearest_first_and_goes_on(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch, "--depth", "1")
        before = len(site.asked)
        again = crawl(site, tmp_path / "out", monkeypatch, "--depth", "1")
        other = crawl(site, tmp_path / "out", monkeypatch, "--depth", "2")

    made = [
        (str(row["url"]).removeprefix(site.root), row["error"]) for row in rows(tmp_path / "out")
    ]
    assert (code, again, other) == (0, 0, 2)
    assert "the folder holds another crawl (--depth)" in capsys.readouterr().err
    assert made == [
        ("/", None),
        ("/listed", None),
        ("/a", None),
        ("/b?x=1", None),
        ("/secret", "call_refused"),
    ]
    assert len(site.asked) == before
    assert "/secret" not in site.paths
    assert len(site.paths) == len(set(site.paths))


@pytest.mark.parametrize("left", [b"", b'{"opt', b"{}", b"\xff\xfe"])
def test_a_crawl_whose_beginning_is_damaged_is_refused(
    left: bytes,
    site: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "_crawl.json").write_bytes(left)

    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch)

    assert (code, site.asked) == (2, [])
    assert "_crawl.json is damaged; take another folder" in capsys.readouterr().err


def test_a_crawl_that_ran_out_of_bytes_goes_on_with_more_of_them(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sites(site):
        crawl(site, tmp_path / "whole", monkeypatch)
        site.asked.clear()
        few = ("--at-once", "1", "--max-bytes", str(2 * len(page("Listed").body)))
        capsys.readouterr()
        for words in (few, few, ()):
            crawl(site, tmp_path / "out", monkeypatch, *words)

    told = capsys.readouterr().out
    assert told.count("left out for --max-bytes; a larger value fetches them") == 2
    assert rows(tmp_path / "out") != []
    assert [(row["url"], row["error"], row["content"]) for row in rows(tmp_path / "out")] == [
        (row["url"], row["error"], row["content"]) for row in rows(tmp_path / "whole")
    ]
    asked = [path for path in site.paths if path not in ("/robots.txt", "/sitemap.xml")]
    assert len(asked) == len(set(asked))


def test_a_map_lists_the_last_step_without_fetching_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch, "--exclude", "secret", command="map")

    listed = [line.removeprefix(site.root) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert listed == ["/", "/listed", "/a", "/b?x=1"]
    assert set(site.paths) == {"/robots.txt", "/sitemap.xml", "/"}


def test_map_as_json_says_whether_it_is_complete(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch, "--json", command="map")

    found = json.loads(capsys.readouterr().out)
    assert (code, found["success"], found["data"]["complete"]) == (0, True, True)
    assert found["data"]["urls"][0] == f"{site.root}/"


def test_map_needs_none_of_the_large_packages(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(options_module, "_REQUIRED_PACKAGES", ("no_such_package",))
    with sites(site):
        mapped = crawl(site, tmp_path / "out", monkeypatch, command="map")
        monkeypatch.setattr(options_module, "_MAP_PACKAGES", ("no_such_package",))
        refused = crawl(site, tmp_path / "out", monkeypatch, command="map")

    assert (mapped, refused) == (0, 3)
    assert "pip install 'webseam[map]'" in capsys.readouterr().err


def test_site_is_mapped_and_crawled_from_python(site: Site) -> None:
    with sites(site):
        policy = local_policy(site)
        urls = webseam.map(f"{site.root}/", exclude=["secret"], delay=0, policy=policy)
        pages = webseam.crawl(f"{site.root}/", depth=1, delay=0, policy=policy)

    assert [url.removeprefix(site.root) for url in urls] == ["/", "/listed", "/a", "/b?x=1"]
    titles = {row.url.removeprefix(site.root): row.title for row in pages if row.url is not None}
    assert titles["/a"] == "A"
    assert titles["/listed"] == "Listed"
    with pytest.raises(webseam.WebseamError, match="cannot begin at this address"):
        webseam.map("nonsense")


@pytest.mark.parametrize("command", ["map", "crawl"])
@pytest.mark.parametrize("rules", [text("User-agent: *\nDisallow: /"), BROKEN])
def test_a_site_that_is_closed_is_told_with_the_same_code(
    command: str,
    rules: Answer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site = Site({"/robots.txt": rules})
    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch, command=command)
        told = capsys.readouterr()

    assert code == 5
    assert told.out.startswith("" if command == "map" else "1 row")
    assert "robots.txt" in told.err


def test_a_crawl_that_looks_for_pages_is_told_as_that(site: Site, tmp_path: Path) -> None:
    with sites(site):
        options = CrawlOptions(rules=CrawlRules(start=f"{site.root}/"), sitemaps=False)
        run = BulkOptions(inputs=(), folder=str(tmp_path / "out"), delay=0.0, workers=1)
        stop = RunWatch(is_stopping=lambda: "/a" in site.paths)
        ended = asyncio.run(crawling.run_crawl(options, run, local_policy(site), stop)).unwrap()
        status = read_run_status(tmp_path / "out").unwrap()

    assert ended is None
    assert status.fetched >= 2
    (line,) = run_status_lines(status)
    assert line.startswith(f"Looking for pages: {status.fetched} pages fetched so far")


def test_a_pattern_that_is_none_is_said(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with sites(site):
        code = crawl(site, tmp_path / "out", monkeypatch, "--include", "(")

    assert code == 2
    assert "'(' is no regular expression" in capsys.readouterr().err


def test_one_broken_sitemap_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index = b"<sitemapindex>%s</sitemapindex>" % b"".join(
        b"<sitemap><loc>ROOT/%s.xml</loc></sitemap>" % name for name in (b"gone", b"one")
    )
    listed = b"<urlset><url><loc>ROOT/listed</loc></url></urlset>"
    site = Site(
        {
            "/sitemap.xml": Answer(body=index, headers=XML),
            "/one.xml": Answer(body=listed, headers=XML),
            "/": page("Home"),
        }
    )
    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, command="map")
        root = site.root

    assert capsys.readouterr().out.split() == [f"{root}/", f"{root}/listed"]


def test_a_sitemap_that_robots_txt_names_without_its_host_is_that_of_the_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = b"<urlset><url><loc>ROOT/listed</loc></url></urlset>"
    site = Site(
        {
            "/robots.txt": text("Sitemap: /maps/one.xml"),
            "/maps/one.xml": Answer(body=listed, headers=XML),
            "/": page("Home"),
        }
    )
    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, command="map")
        root = site.root

    assert capsys.readouterr().out.split() == [f"{root}/", f"{root}/listed"]


def test_a_frontier_takes_what_belongs_once_and_bounds_what_is_alike() -> None:
    frontier = Frontier(
        CrawlRules(start="https://www.a.example/", include=("a",), exclude=("private",), alike=2)
    )
    links = [
        "https://a.example/x",
        "https://A.example/x#top",
        "https://docs.a.example/",
        "https://b.example/",
        "https://a.example/private",
        "https://a.example/day/1",
        "https://a.example/day/22",
        "https://a.example/day/3",
        "https://a.example/x/x/x",
        "nonsense",
    ]

    assert [link for link in links if frontier.admit_link(link)] == [
        "https://a.example/x",
        "https://docs.a.example/",
        "https://a.example/day/1",
        "https://a.example/day/22",
    ]
    assert frontier.left_out == {"known": 1, "elsewhere": 1, "unwanted": 1, "trap": 2, "no_url": 1}


def test_a_page_has_one_name_however_its_letters_are_written() -> None:
    frontier = Frontier(CrawlRules(start="https://m\u00fcnchen.example/"))

    assert frontier.admit_link("https://m\u00fcnchen.example/stra\u00dfe")
    assert not frontier.admit_link("https://xn--mnchen-3ya.example/stra%C3%9Fe")
    assert frontier.admit_link("https://docs.xn--mnchen-3ya.example/")
    assert frontier.left_out == {"known": 1}


def test_urls_of_a_sitemap_are_no_crawl_trap() -> None:
    frontier = Frontier(CrawlRules(start="https://a.example/", alike=2))

    assert all(frontier.admit_link(f"https://a.example/item/{at}", listed=True) for at in range(5))
    assert not frontier.admit_link("https://a.example/item/9")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/s;jsessionid=0F3A", "/s;jsessionid=99BC"),
        ("/v/3f2504e0-4f89-11d3-9a0c-0305e82c3301", "/v/9a0c04e0-4f89-11d3-9a0c-03aae82c3301"),
        ("/v/da39a3ee5e6b4b0d3255bfef95601890", "/v/bbb9a3ee5e6b4b0d3255bfef956018ff"),
        ("/v?sid=da39a3ee", "/v?sid=x"),
    ],
)
def test_sessions_have_one_shape(one: str, other: str) -> None:
    assert crawl_url_shape(f"https://a.example{one}") == crawl_url_shape(
        f"https://a.example{other}"
    )


def test_words_of_a_path_are_no_session() -> None:
    shapes = {crawl_url_shape(f"https://a.example/{word}") for word in ("facade", "decade", "b1;x")}
    assert len(shapes) == 3


def test_a_frontier_knows_other_names_and_keeps_to_its_host() -> None:
    frontier = Frontier(CrawlRules(start="https://a.example/", same_host=True))
    frontier.mark_visited("https://a.example/moved")
    frontier.mark_visited("nonsense")

    assert not frontier.admit_link("https://a.example/moved")
    assert not frontier.admit_link("https://docs.a.example/")
    assert frontier.admit_link("https://a.example/")


@pytest.mark.parametrize("same_host", [False, True])
def test_another_port_is_another_host(*, same_host: bool) -> None:
    frontier = Frontier(CrawlRules(start="http://a.example:8001/", same_host=same_host))

    assert frontier.admit_link("http://a.example:8001/x")
    assert frontier.admit_link("http://docs.a.example:8001/") is not same_host
    others = ("http://a.example:8002/", "http://a.example/", "http://docs.a.example:8002/")
    assert not any(map(frontier.admit_link, others))


def test_both_schemes_of_a_host_are_one_site() -> None:
    frontier = Frontier(CrawlRules(start="http://a.example/", same_host=True))

    assert all(map(frontier.admit_link, ("https://a.example/x", "http://www.a.example:80/y")))


@pytest.mark.parametrize("same_host", [False, True])
def test_a_site_that_was_moved_is_also_where_it_is_now(*, same_host: bool) -> None:
    frontier = Frontier(CrawlRules(start="http://old.example/", same_host=same_host))
    frontier.adopt_host("https://www.new.example/home")
    frontier.adopt_host("nonsense")

    urls = ("https://new.example/a", "https://docs.new.example/", "https://other.example/")
    assert [frontier.admit_link(url) for url in urls] == [not same_host, not same_host, False]
    assert frontier.admit_link("http://old.example/b")


@pytest.mark.parametrize(
    "path",
    [
        "x" * 1000,
        "/".join("abcdefghijklmnopqr"),
        "a/a/a",
        "?" + "&".join(f"k{n}=" for n in range(9)),
    ],
)
def test_generated_paths_are_crawl_traps(path: str) -> None:
    assert is_crawl_trap(f"https://a.example/{path}")


def test_patterns_are_checked() -> None:
    assert check_crawl_patterns(["a+"], "--include").unwrap() == ("a+",)
    assert "is no regular expression" in check_crawl_patterns(["["], "--include").failure().message


@pytest.mark.parametrize(
    ("markup", "links"),
    [
        (
            '<a href="b">x</a><a href="b#c">x</a><a href="mailto:x@y">x</a><a>x</a>',
            ["https://a.example/x/b"],
        ),
        ('<base href="/y/"><a href="b">x</a>', ["https://a.example/y/b"]),
        ('<a href=" a\n/b\tc d.html ">x</a>', ["https://a.example/x/a/bc%20d.html"]),
        ('<a href="b" rel="nofollow">x</a><a href="http://[">x</a>', []),
        (
            '<meta http-equiv="Refresh" content="0; URL=\'/new\'"><a href="b">x</a>',
            ["https://a.example/new", "https://a.example/x/b"],
        ),
        ('<meta http-equiv=refresh content="5;new page">', ["https://a.example/x/new%20page"]),
        ('<meta http-equiv=refresh content="30"><meta http-equiv=refresh content="0;b">', []),
        ('<meta http-equiv=refresh content="0;url=javascript:x()">', []),
        (
            '<a href="b" rel="noopener NoFollow">x</a><a href="c" rel="ugc">x</a>',
            ["https://a.example/x/c"],
        ),
    ],
)
def test_links_are_those_that_a_page_lets_be_followed(markup: str, links: list[str]) -> None:
    read = convert_links(
        markup.encode(), "text/html; charset=utf-8", "https://a.example/x/"
    ).unwrap()

    assert read.content.split() == links


@pytest.mark.parametrize(
    ("markup", "robots"),
    [
        ('<meta name="Robots" content="noindex, nofollow">', ("noindex, nofollow",)),
        ('<meta name="robots" content="nofollow,noindex">', ("nofollow,noindex",)),
        ('<meta name="robots" content="NONE"><meta name="a" content="b">', ("NONE",)),
        ('<meta name="mybot" content="nofollow">', ("mybot: nofollow",)),
        ('<meta name="robots" content="noindex"><meta name="robots">', ()),
    ],
)
def test_links_come_with_what_the_page_asks_about_them(markup: str, robots: tuple[str]) -> None:
    assert (
        convert_links(markup.encode(), "text/html", "https://a.example/x/").unwrap().robots
        == robots
    )


def test_a_page_names_itself_and_what_is_no_page_has_no_links() -> None:
    own = b'<link rel="canonical" href="/own">'

    assert (
        convert_links(own, "text/html", "https://a.example/x").unwrap().canonical_url
        == "https://a.example/own"
    )
    assert (
        convert_links(b"%PDF", "application/pdf", "https://a.example/x").failure().kind
        == "unsupported_content"
    )
