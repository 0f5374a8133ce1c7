"""The links of a page in every charset, and what becomes of each of them."""

import json
from pathlib import Path

import pytest

from tests.features.bulk.farm import Answer, Site, crawl, own, page, same_pages, sites
from tests.features.bulk.samples import rows
from webseam.adapters.features.bulk.crawling.links import convert_links
from webseam.ports.pages import ReadPage

MARKUP = '<html><head><base href="/d/"></head><body><a href="страница">да</a></body></html>'


def _links(body: bytes, content_type: str) -> list[str]:
    read: ReadPage = convert_links(body, content_type, "https://a.example/x/").unwrap()
    return read.content.split()


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (MARKUP.encode(), "text/html; charset=utf-8"),
        (MARKUP.encode(), "text/html"),
        (MARKUP.encode("windows-1251"), "text/html; charset=windows-1251"),
        (MARKUP.encode("koi8-r"), 'text/html; charset="KOI8-R"'),
        (b"\xff\xfe" + MARKUP.encode("utf-16-le"), "text/html"),
        (b"\xfe\xff" + MARKUP.encode("utf-16-be"), "text/html; charset=utf-16"),
        (MARKUP.encode("utf-16-le"), "text/html; charset=utf-16le"),
        (
            MARKUP.replace("<head>", '<head><meta charset="windows-1251">').encode("windows-1251"),
            "text/html",
        ),
    ],
)
def test_links_of_a_page_are_those_of_the_same_page_in_utf_8(
    body: bytes, content_type: str
) -> None:
    assert _links(body, content_type) == ["https://a.example/d/страница"]


def test_base_without_an_address_is_no_base() -> None:
    markup = b'<base target="_top"><base href="/y/"><a href="b">x</a>'

    assert _links(markup, "text/html") == ["https://a.example/y/b"]


def test_canonical_address_is_resolved_against_the_base() -> None:
    markup = b'<base href="/y/"><link rel="canonical" href="own">'

    read = convert_links(markup, "text/html", "https://a.example/x/").unwrap()

    assert read.canonical_url == "https://a.example/y/own"


def _left_out(out: Path) -> dict[str, int]:
    counts: dict[str, int] = json.loads((out / "_crawl.json").read_text())["left_out"]
    return counts


def test_page_that_others_call_canonical_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(
        {
            "/": page("Home", "/a"),
            "/a": own(page("A", "/real"), "/real"),
            "/real": page("The real one"),
        }
    )

    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, "--depth", "3", "--no-sitemap")

    assert same_pages(site, tmp_path / "out") == {"/": None, "/a": None, "/real": "/a"}


def test_links_that_are_not_fetched_are_counted_by_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = page("Home", "/a", "/b", "/c", "/d", "/e")
    shut = page("A", "/only-from-a")
    head = b'<meta name="robots" content="nofollow"></head>'
    site = Site(
        {
            "/": home._replace(
                body=home.body.replace(
                    b"</article>",
                    b'<a rel=nofollow href="/x">x</a><a rel=nofollow href="/a">x</a></article>',
                )
            ),
            "/a": shut._replace(body=shut.body.replace(b"</head>", head)),
            **{f"/{name}": page(name, "/deep") for name in "bcde"},
        }
    )

    with sites(site):
        crawl(site, tmp_path / "cut", monkeypatch, "--pages", "4", "--no-sitemap", "--depth", "1")
        crawl(site, tmp_path / "all", monkeypatch, "--no-sitemap", "--depth", "1")

    assert len(rows(tmp_path / "cut")) == 4
    assert _left_out(tmp_path / "cut") == {"pages": 2, "depth": 1, "known": 1, "nofollow": 2}
    assert _left_out(tmp_path / "all") == {"depth": 1, "known": 3, "nofollow": 2}


def test_pages_of_a_sitemap_that_are_too_many_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = "".join(f"<url><loc>ROOT/{number}</loc></url>" for number in range(25))
    sitemap = Answer(
        body=f"<urlset>{entries}</urlset>".encode(), headers={"Content-Type": "application/xml"}
    )
    site = Site({"/": page("Home"), "/sitemap.xml": sitemap})

    with sites(site):
        crawl(site, tmp_path / "out", monkeypatch, "--pages", "2", "--depth", "1")

    assert _left_out(tmp_path / "out") == {"pages": 24}
