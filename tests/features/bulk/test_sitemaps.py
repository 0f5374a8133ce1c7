"""Sitemaps and feeds: nested, broken, of other kinds."""

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from returns.result import Failure

from tests.features.bulk.farm import Answer, Site, local_policy, page, sites, text
from tests.features.bulk.samples import Here, rows, run
from webseam.adapters.features.bulk.crawling.listings import MAX_LIST_URLS, read_site_list
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.ports.errors import ParseFailed

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
        ("/x", "http_status"),
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
        watch = RunWatch(converter=Here(), is_stopping=lambda: len(site.asked) > 3)
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
    assert list(read_site_list(body).unwrap().pages) == pages


@pytest.mark.parametrize("body", [b'{"error": "gone"}', b"{", b"Not found", b"<p>Not found"])
def test_body_without_urls_is_no_sitemap(body: bytes) -> None:
    assert "neither a sitemap nor a feed" in read_site_list(body).failure().message


def test_a_list_that_names_too_much_says_so() -> None:
    urls = [f"https://a.example/{number}" for number in range(MAX_LIST_URLS + 1)]

    for body in (listing(*urls).body, listing(*urls).body[:-1], "\n".join(urls).encode()):
        listed = read_site_list(body).unwrap()
        assert listed.pages == tuple(urls[:-1])
        assert "more than 50,000" in listed.flaw
    for body in (listing(*urls[:-1]).body, "\n".join(urls[:-1]).encode()):
        listed = read_site_list(body).unwrap()
        assert (listed.pages, listed.flaw) == (tuple(urls[:-1]), "")


def _urlset(*places: str) -> bytes:
    named = "".join(
        f"<url><loc>{place}</loc><image:loc>https://i/</image:loc></url>" for place in places
    )
    return f'<urlset xmlns:image="i">{named}</urlset>'.encode()


@pytest.mark.parametrize(
    ("place", "read"),
    [
        ("https://a.example/?b=1&copy=2", "https://a.example/?b=1&copy=2"),
        ("https://a.example/?b=1&amp;c=2&d", "https://a.example/?b=1&c=2&d"),
        ("https://a.example/&#x26;&#38;&", "https://a.example/&&&"),
        ("<![CDATA[https://a.example/?b&amp;c]]></x><y>", "https://a.example/?b&amp;c"),
        (" https://a.example/x </loc></url><url><loc>& ", "https://a.example/x"),
        (
            "https://a.example/x</loc><!-- <loc>https://a.example/no</loc> & --><loc>",
            "https://a.example/x",
        ),
    ],
)
def test_broken_markup_around_an_address_does_not_lose_it(place: str, read: str) -> None:
    listed = read_site_list(_urlset("https://a.example/0", place, "https://a.example/9")).unwrap()

    assert listed.flaw == ""
    assert [page for page in listed.pages if page != "&"] == [
        "https://a.example/0",
        read,
        "https://a.example/9",
    ]


@pytest.mark.parametrize("place", ["https://a.example/&foo;", "https://a.example/&amp;&nbsp;"])
def test_an_address_that_cannot_be_read_is_counted_and_the_others_are_taken(place: str) -> None:
    listed = read_site_list(_urlset("https://a.example/0", place, "https://a.example/9")).unwrap()

    assert listed.pages == ("https://a.example/0", "https://a.example/9")
    assert listed.flaw == "it is broken: 1 of 3 addresses cannot be read; the readable part is used"


def test_an_address_in_no_encoding_is_counted() -> None:
    listed = read_site_list(
        _urlset("https://a.example/0", "https://a.example/\u00e9").replace(b"\xc3", b"")
    ).unwrap()

    assert listed.pages == ("https://a.example/0",)
    assert "1 of 2 addresses" in listed.flaw


@pytest.mark.parametrize("size", range(12, len(_urlset("https://a.example/0")), 7))
def test_a_sitemap_that_is_cut_off_says_so(size: int) -> None:
    listed = read_site_list(_urlset("https://a.example/0")[:size]).unwrap()

    assert listed.pages in ((), ("https://a.example/0",))
    assert "it ends too soon" in listed.flaw


def _addresses(count: int) -> list[str]:
    return [f"https://a.example/{hashlib.sha256(bytes([n])).hexdigest()}" for n in range(count)]


def _sitemap(addresses: list[str]) -> bytes:
    return listing(*addresses).body


def _lines(addresses: list[str]) -> bytes:
    return "\n".join(addresses).encode()


def _feed(addresses: list[str]) -> bytes:
    items = "".join(f"<item><title>A</title><link>{each}</link></item>" for each in addresses)
    return f'<rss version="2.0"><channel><title>T</title>{items}</channel></rss>'.encode()


@pytest.mark.parametrize("write", [_sitemap, _lines, _feed])
def test_a_packed_list_that_is_cut_off_gives_what_can_be_read_of_it(
    write: Callable[[list[str]], bytes],
) -> None:
    wanted = _addresses(200)
    packed = gzip.compress(write(wanted))
    for share in (0.4, 0.7, 0.9):
        read = read_site_list(packed[: int(len(packed) * share)]).unwrap()

        assert 0 < len(read.pages) < len(wanted)
        assert list(read.pages) == wanted[: len(read.pages)]
        assert "the readable part is used" in read.flaw


@pytest.mark.parametrize("at", [12, -8, -3])
def test_a_packed_list_that_is_damaged_is_none(at: int) -> None:
    packed = bytearray(gzip.compress(_sitemap(_addresses(9))))
    packed[at] ^= 255
    for body in (bytes(packed), bytes(packed)[:11]):
        read = read_site_list(body)

        assert read == Failure(
            ParseFailed(reason="corrupt", detail="it is not a complete gzip file")
        )


def test_a_feed_that_is_cut_off_gives_whole_entries_and_says_so() -> None:
    wanted = _addresses(3)
    whole = _feed(wanted)
    for size in range(whole.index(wanted[1].encode()), whole.index(b"</channel>")):
        read = read_site_list(whole[:size]).unwrap()

        assert list(read.pages) == wanted[: whole[:size].count(b"</item>")]
        assert read.flaw == "it is broken: it ends too soon; the readable part is used"


def test_a_broken_index_leads_on(tmp_path: Path) -> None:
    body = b"<s:sitemapindex><s:sitemap><s:loc>ROOT/1.xml?a&b</s:loc></s:sitemap><s:loc>&x;</s:loc></s:sitemapindex>"
    site = Site(
        {
            "/index.xml": Answer(body=body, headers=XML),
            "/1.xml?a&b": listing("ROOT/a"),
            "/a": page("First"),
        }
    )
    with sites(site):
        run(tmp_path / "out", f"{site.root}/index.xml", policy=local_policy(site), delay=0.0)

    made = [
        (str(row["url"]).removeprefix(site.root), row["error"]) for row in rows(tmp_path / "out")
    ]
    assert made == [("/index.xml", "source_unreadable"), ("/a", None)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
@pytest.mark.parametrize("blank", ["", "\n \n"])
@pytest.mark.parametrize(
    "form",
    [
        "<urlset><url><loc>{}</loc></url></urlset>",
        "<urlset><url><loc>{}</loc></url><url></urlset>",
        "<rss><channel><title>x</title><item><link>{}</link></item></channel></rss>",
    ],
)
def test_a_list_is_read_as_it_is_written(form: str, blank: str, encoding: str) -> None:
    address = "https://a.example/caf\u00e9"
    head = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    listed = read_site_list(f"{blank}{head}{form.format(address)}".encode(encoding)).unwrap()

    assert listed.pages == (address,)


def test_entries_of_a_json_feed_without_an_address_lose_no_other() -> None:
    body = b"""{"items": [{"url": null, "external_url": "https://a.example/1"}, 3, {"url": 7},
        {"id": "7"}, {"id": "https://a.example/2"}, {"url": "https://a.example/3", "id": "x"}]}"""

    assert read_site_list(body).unwrap().pages == tuple(f"https://a.example/{n}" for n in (1, 2, 3))
