"""A page that tells its date only to people has one, too."""

import json

import pytest

from webseam.ports.pages import PageDate

from .read import PARAGRAPH, article, page


def dated(*lines: str, after: str = "") -> str:
    before = "".join(f"<p>{line}</p>" for line in lines)
    return (
        f"<html><head><title>The harbour - News</title></head><body><article>{before}"
        f"<h1>The harbour</h1>{after}<p>{PARAGRAPH}</p><p>{PARAGRAPH}</p></article></body></html>"
    )


@pytest.mark.parametrize(
    "line",
    [
        "<p class=date>5. März 2024</p>",
        "<div>By Ann Mason</div><div>Published on <span>March 5, 2024</span></div>",
        "<time>5 de marzo de 2024</time>",
        "<span>2024年3月5日 12:11</span>",
        "<script>'1 May 2001'</script><p>05.03.2024</p>",
        "<p>Jerusalem, March 5, 2024</p>",
        "<p>Product updates &amp; trends · March 5, 2024</p>",
        "<p>Güncel, 5 Mart 2024</p>",
        "<dl><dt>Published</dt><dd>5 March 2024</dd></dl>",
        "<table><tr><th>Born</th><td>1 May 1985</td></tr></table><p>5 March 2024</p>",
        "<dl><dt>Born</dt><dd><time datetime=1985-05-01>1 May 1985</time></dd></dl><p>5 March 2024</p>",
        "<time itemprop=birthDate datetime=1985-05-01>1 May 1985</time><p>5 March 2024</p>",
        "<a href=/2024/03/05/>March 5, 2024</a>",
        "<a rel=bookmark href=/x><time>5 March 2024</time><time class=updated>6 March 2024</time></a>",
        "<a href=/next>The next harbour <time>1 May 2023</time></a><p>5 March 2024</p>",
        "".join(f"<p>line {n}</p>" for n in range(40)) + "<p>5 March 2024</p>",
        "<time itemprop=dateCreated datetime=2024-03-05>a year ago</time><p>1 May 2001</p>",
    ],
)
def test_a_date_under_the_heading_is_when_it_was_published(line: str) -> None:
    assert page(dated(after=line)).published_at == "2024-03-05"


@pytest.mark.parametrize(
    ("language", "day"),
    [("fr-FR", "2024-03-05"), ("en-GB", "2024-03-05"), ("en-US", None), ("en", None), ("ja", None)],
)
def test_of_two_numbers_the_first_is_the_day_where_a_language_says_so(
    language: str, day: str | None
) -> None:
    html = dated(after="<p class=date>05/03/2024</p>").replace("<html>", f"<html lang={language}>")

    assert page(html).published_at == day


def test_a_date_over_the_heading_is_too_where_none_stands_under_it() -> None:
    assert page(dated("1 May 2001", "5 March 2024")).published_at == "2024-03-05"
    assert page(dated("1 May 2001", after="<p>5 March 2024")).published_at == "2024-03-05"


def test_the_heading_is_the_one_that_the_title_names() -> None:
    harbour = f"<h2>The harbour</h2><p>5 March 2024</p><p>{PARAGRAPH}</p>"
    html = f"<title>The harbour</title><h1>News</h1><p>1 May 2001</p><p>a<p>b<p>c<p>d<p>e{harbour}"

    assert page(html).published_at == "2024-03-05"


@pytest.mark.parametrize(
    "line",
    [
        "Updated 5 March 2024",
        "Aktualisiert am 5. März 2024",
        "Son güncelleme: 5 Mart 2024",
        "Joined 5 March 2024",
        "Sale ends 5 March 2024",
        "5 March 2024 - 7 March 2024",
        "March 2024",
        "<a href=/other>The other harbour, 5 March 2024</a>",
        "<b>Last updated:</b> <i>5 March 2024</i>",
        "<b>Updated</b> <time datetime=2024-03-05>5 March 2024</time>",
        "<time datetime=2024-03-05>Updated a year ago</time>",
        "The first stage began on 5 March 2024, and it took longer than hoped.",
        "".join(f"<p>line {n}</p>" for n in range(60)) + "<p>5 March 2024</p><p>7 May 2024</p>",
        "<b>Born:</b> 5 March 2004",
        "<span>Geboren</span> <span>5. März 1948</span>",
        "Release date: 5 March 2024",
    ],
)
def test_any_other_date_is_not_when_it_was_published(line: str) -> None:
    assert page(dated(after=f"<p>{line}</p>")).published_at is None


def test_the_only_day_that_a_page_shows_is_its_own_however_far_it_stands() -> None:
    lines = "".join(f"<p>line {n}</p>" for n in range(300))
    change = "<meta property='article:modified_time' content='2024-03-05'>"

    for head, day in (("", "2024-03-05"), (change, None)):
        shown = dated(after=f"{head}{lines}<p>Posted on 5 March 2024</p>")
        assert page(shown).published_at == day


@pytest.mark.parametrize("line", ["Updated 5 March 2024", "<b>Updated</b> <i>5 March 2024</i>"])
def test_a_shown_day_of_change_is_told_as_one(line: str) -> None:
    change = PageDate(kind="modified", date="2024-03-05", source="page")

    assert page(dated(after=f"<p>{line}</p>")).dates == (change,)


def test_a_date_is_found_without_a_heading() -> None:
    assert page(f"<p>5 March 2024</p><p>{PARAGRAPH}</p>").published_at == "2024-03-05"


NAMES = ["article:published_time", "og:article:published_time", "w-published-date", "published",
         "pub-date", "publish_date", "dc.date.issued", "date", "ms.date", "citation_publication_date"]  # fmt: skip
CHANGES = [
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "last_published",
    "modified-date",
]


def test_the_name_of_a_meta_tag_says_what_its_date_is() -> None:
    for kind, names in (("published", NAMES), ("modified", CHANGES)):
        for name in names:
            dates = page(article("", f"<meta name='{name}' content='2024-03-05'>")).dates
            assert [(date.kind, date.date, date.source) for date in dates] == [
                (kind, "2024-03-05", "meta")
            ], name


def declared(published: str, modified: str = "") -> str:
    thing = {"@type": "Article", "datePublished": published, "dateModified": modified}
    return f"<script type='application/ld+json'>{json.dumps(thing)}</script>"


def test_an_earlier_shown_day_is_the_first_where_the_page_declares_no_later_change() -> None:
    for shown, published, modified, day in (
        ("1 May 2001", "2024-03-05", "2024-03-05", "2001-05-01"),
        ("1 May 2001", "2024-03-05", "", "2001-05-01"),
        ("1 May 2001", "2024-03-05", "2024-03-06", "2024-03-05"),
        ("6 March 2024", "2024-03-05", "2024-03-05", "2024-03-05"),
        ("<time datetime=2024-03-04T23:00-05:00>now</time>", "2024-03-05", "", "2024-03-05"),
    ):
        html = dated(after=f"<p>{shown}</p>{declared(published, modified)}")
        assert page(html).published_at == day, (shown, published, modified)


def test_the_day_in_the_address_goes_before_one_that_another_time_zone_makes() -> None:
    address = "<link rel=canonical href='https://example.com/2024/03/05/harbour'>"
    for published, day in (
        ("2024-03-06T01:00:00Z", "2024-03-05"),
        ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00+00:00"),
    ):
        assert page(article("", address + declared(published))).published_at == day
    html = article("", address.replace("03/05", "19/45"))
    assert page(html).published_at is None


def test_date_of_the_head_goes_before_a_visible_date() -> None:
    told = "<meta property='article:published_time' content='2023-01-02'>"

    assert page(article("<p>5 March 2024</p>", told)).published_at == "2023-01-02"
