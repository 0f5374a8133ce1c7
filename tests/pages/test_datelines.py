"""A page that tells its date only to people has one, too."""

import pytest

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
        "<time itemprop=birthDate datetime=1985-05-01></time><p>5 March 2024</p>",
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
        "<a href=/other>5 March 2024</a>",
        "The first stage began on 5 March 2024, and it took longer than hoped.",
        "".join(f"<p>line {n}</p>" for n in range(12)) + "<p>5 March 2024</p>",
    ],
)
def test_any_other_date_is_not_when_it_was_published(line: str) -> None:
    assert page(dated(after=f"<p>{line}</p>")).published_at is None


def test_what_the_page_says_of_itself_goes_before_what_it_shows() -> None:
    told = "<meta property='article:published_time' content='2023-01-02'>"

    assert page(article("<p>5 March 2024</p>", told)).published_at == "2023-01-02"
