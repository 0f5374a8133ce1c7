"""RSS, Atom, RDF and JSON feeds as lists of links."""

import json

import pytest

from tests.features.documents.read import page
from webseam.ports.pages import ReadPage

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Bread &amp; wine</title><link>https://e.org/</link><description>About both</description>
<item><title>One</title><link>https://e.org/1</link><pubDate>Tue, 01 Jul 2025 10:00:00 GMT</pubDate>
<description>&lt;p&gt;First &lt;b&gt;words&lt;/b&gt; &lt;img src=x&gt;&lt;/p&gt;</description><dc:creator>Ann</dc:creator></item>
<item><link>/2</link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Atoms</title><entry><title>One</title>
<link href="/1"/><updated>2025-07-01T10:00:00Z</updated><content type="html">&lt;p&gt;Body</content></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title></channel><item><title>One</title><link>https://e.org/1</link></item></rdf:RDF>"""
CDATA = """<rss version="2.0"><channel><item><title><![CDATA[<b>Bold</b> ![x](y)]]></title>
<link>javascript:alert(1)</link></item></channel></rss>"""
OLD = "<rss version='0.91'><channel><title>Old</title><item><title>One</title><link>https://e.org/1</link></item></channel></rss>"


@pytest.mark.parametrize("content_type", ["application/rss+xml", "application/xml", "text/xml", ""])
def test_a_feed_is_a_list_of_links_with_dates_authors_and_summaries(content_type: str) -> None:
    assert page(RSS, content_type, "https://e.org/feed") == ReadPage(
        title="Bread & wine",
        content="- [One](https://e.org/1) (2025-07-01 · Ann)\n  First words\n- [/2](https://e.org/2)",
        site_name="Bread & wine",
        description="About both",
        kind="feed",
        links=2,
    )


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (ATOM, "- [One](https://e.org/1) (2025-07-01)\n  Body"),
        (RDF, "- [One](https://e.org/1)"),
        (OLD, "- [One](https://e.org/1)"),
        (RSS.replace("</channel></rss>", "")[:-20], "- [One](https://e.org/1) (2025-07-01 · Ann)"),
        (CDATA, "- Bold !\\[x](y)"),
        (
            "<rss version='2.0'><channel><item><description>no title</description></item></channel></rss>",
            "- (untitled)\n  no title",
        ),
    ],
)
def test_every_dialect_is_read(text: str, content: str) -> None:
    assert page(text, "application/xml", "https://e.org/feed").content.startswith(content)


def test_a_description_too_long_for_a_summary_is_the_whole_text() -> None:
    told = f"&lt;h2&gt;Tides&lt;/h2&gt;&lt;p&gt;{'High and low water. ' * 80}&lt;/p&gt;"
    text = (
        "<rss version='2.0'><channel><item><title>One</title><link>https://e.org/1</link>"
        f"<description>{told}</description></item></channel></rss>"
    )

    content = page(text, "application/rss+xml").content

    assert content.startswith("## [One](https://e.org/1)\n\n## Tides\n\nHigh and low")
    assert content.count("High and low water.") == 80


def test_a_feed_that_is_none_stays_xml() -> None:
    text = "<opml><head/></opml>"

    assert page(text, "application/rss+xml").content == f"```xml\n{text}\n```"


def test_a_feed_without_entries_stays_xml() -> None:
    text = "<rss version='2.0'><channel><title>T</title></channel></rss>"

    assert page(text, "application/rss+xml").content == f"```xml\n{text}\n```"


def test_no_entity_of_a_feed_is_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(10))
    text = (
        f'<!DOCTYPE rss [{laughs}<!ENTITY f SYSTEM "file:///etc/hostname">]><rss version="2.0"><channel>'
        "<item><title>&l9; &f;</title></item></channel></rss>"
    )

    assert page(text, "application/rss+xml").content == "- &l9; &f;"


def test_a_long_feed_is_cut_and_says_so() -> None:
    items = "<item><title>x</title></item>" * 600
    document = page(f"<rss version='2.0'><channel>{items}</channel></rss>", "application/rss+xml")

    assert (document.content.count("- x"), document.notes) == (
        500,
        ("only the first 500 of 600 entries",),
    )


def test_a_json_feed_is_a_list_too() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "F",
        "language": "de",
        "items": [
            {"title": "A", "url": "https://e.org/1", "date_published": "2024-01-02T00:00:00Z"},
            {"external_url": "https://e.org/2", "content_html": "<p>x &amp; y"},
        ],
    }

    assert page(json.dumps(feed), "application/feed+json") == ReadPage(
        title="F",
        content="- [A](https://e.org/1) (2024-01-02)\n- [https://e.org/2](https://e.org/2)\n  x & y",
        site_name="F",
        language="de",
        kind="json",
        links=2,
    )


@pytest.mark.parametrize(
    "feed", [{"version": "1", "items": [{}]}, {"version": "https://jsonfeed.org/version/1"}]
)
def test_json_that_only_resembles_a_feed_is_json(feed: dict[str, object]) -> None:
    assert page(json.dumps(feed), "application/json").content.startswith("```json\n")


WHOLE = "<p>" + "Many words. " * 60 + "</p>"


def test_an_entry_with_its_whole_text_is_a_section() -> None:
    text = (
        "<rss version='2.0' xmlns:content='http://purl.org/rss/1.0/modules/content/'><channel><title>F</title>"
        "<item><title>One</title><link>https://e.org/1</link><description>Short</description>"
        f"<content:encoded><![CDATA[<h2>Part</h2>{WHOLE}<a href='/x'>more</a>]]></content:encoded></item>"
        "<item><title>Two</title></item></channel></rss>"
    )

    content = page(text, "application/rss+xml").content

    assert content.startswith("## [One](https://e.org/1)\n\n## Part\n\nMany words. Many")
    assert content.endswith("[more](https://e.org/x)\n\n- Two")


def test_a_json_feed_has_whole_texts_too() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "items": [
            {"title": "A", "content_html": WHOLE},
            {"title": "B", "content_text": "x " * 300},
        ],
    }

    content = page(json.dumps(feed), "application/feed+json").content

    assert content.startswith("## A\n\nMany words.")
    assert "## B\n\nx x x" in content
