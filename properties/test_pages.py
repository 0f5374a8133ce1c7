"""The reader's laws: it answers anything, hides nothing, links only where it may."""

import re
from datetime import date
from urllib.parse import urljoin

from hypothesis import example, given, strategies as st
from returns.result import Result, Success

from webseam.adapters.pages.safe_text import absolute_url, decode_if_utf8, one_line, strip_hidden
from webseam.adapters.reader import read_html
from webseam.adapters.reader.run_choice import best_threshold
from webseam.adapters.values.dates import MONTHS, iso_date

BASE = "https://example.com/a/b"
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u115f\u1160\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ud800-\udfff\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
TARGET = re.compile(r"(?<!\\)\]\(<?([^)\s>]*)")
PIECES = (
    "<p>", "</p>", "<div class=content>", "</div>", "<a href='/x'>", "<a href='javascript:x'>", "</a>", "<b>", "<li>",
    "<ul>", "<table>", "<tr>", "<td rowspan=3 colspan=2>", "<pre class=language-x>", "<h2>", "<img alt=y src=/i.png>",
    "<img alt=y src='data:image/png;base64,AA'>", "<script>", "</script>", "<!--", "-->", "<template>", "<nav>", "<br>",
    "<p hidden>", "<p style='display:none'>", "<p style='opacity:0'>", "<svg>", "<math>", "<title>", "<base href='http://b.example/'>", "```",
    "![a](http://e.example)", "[b]: http://e.example", "`", "*", "_", "|", "\\", "<", "&lt;", "&#8203;", "\u200b", "\u200d",
    "\ufe0f", "\U0001f600", "\u0645\u200c", "\x1b[2J", "\ud800", "some words of text, rather long ones. ", "\n", "\r", "\u2028",
)  # fmt: skip


def soups() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES) | st.text(max_size=20), max_size=60).map("".join)


def joiners() -> st.SearchStrategy[str]:
    letters = "a\u0645\u0915\u094d\u0d4d\U0001f468\u2764\u200c\u200d\ufe0e\ufe0f\u20e31#\u200b\ufeff\U000e0067\u0301"
    return st.text(alphabet=letters, max_size=12)


@given(soups())
@example("<a href=x>" * 300)
@example("<table><tr><td rowspan=9 colspan=9>x<tr><td>y")
@example("<p>\ud800\u200d")
@example("<p style='opacity:0'></p>")
def test_any_tag_soup_has_an_outcome_that_hides_nothing(html: str) -> None:
    result = read_html(html, BASE)

    assert isinstance(result, Result)
    if isinstance(result, Success):
        page = result.unwrap()
        assert page.content.strip() == page.content != ""
        assert FORBIDDEN.search(page.content) is None
        assert FORBIDDEN.search(page.title) is None
        assert "\n" not in page.title
        assert len(page.title) <= 300


@given(soups())
@example("![y](https://e.example/)")
@example("<p>!<a href=/x>y</a>")
def test_links_lead_only_to_known_kinds_and_no_image_is_loaded(html: str) -> None:
    result = read_html(html.replace("`", ""), BASE)

    if isinstance(result, Success) and "```" not in result.unwrap().content:
        content = result.unwrap().content
        for target in TARGET.findall(content):
            assert target.lower().startswith(("http://", "https://", "mailto:"))
        assert re.search(r"(?<!\\)!\[[^\]]*\]\(", content) is None


@given(st.binary(max_size=400), st.text(max_size=40))
@example(b"\xff\xfe<", "charset=utf-7")
@example(b"\xfe\xff\xd8\x00", "")
def test_any_bytes_have_an_outcome(html: bytes, content_type: str) -> None:
    assert isinstance(read_html(html, "", content_type=content_type), Result)


@given(st.text(), st.text(max_size=30))
def test_any_text_and_any_url_have_an_outcome(html: str, url: str) -> None:
    assert isinstance(read_html(html, url), Result)


@given(st.text() | joiners())
@example("a\ufe0f\u200d\U0001f600")
@example("1\ufe0f\u20e3")
@example("\u2764\ufe0f\u200d\u200d")
@example("\u2300\ufe0e\u200c\u20e3")
@example("1\ufe0e\ufe0f\u20e3")
def test_unhiding_is_idempotent_and_leaves_nothing_hidden(text: str) -> None:
    once, removed = strip_hidden(text)

    assert strip_hidden(once) == (once, 0)
    assert removed >= 0
    assert FORBIDDEN.search(once) is None


@given(st.text() | joiners(), st.integers(1, 50))
@example("\u0645\u200c\u0645", 3)
def test_one_line_is_one_bounded_line_and_idempotent(text: str, most: int) -> None:
    line = one_line(text, most)

    assert len(line) <= most
    assert "\n" not in line
    assert one_line(line, most) == line


@given(st.text(max_size=60), st.sampled_from(["", BASE, "nonsense", "http://[x"]))
@example("http://[", "")
def test_an_address_is_absolute_and_safe_or_nothing(written: str, base: str) -> None:
    address = absolute_url(written, base)

    if address is not None:
        assert re.match(r"https?://|mailto:", address, re.IGNORECASE)
        assert re.search(r"[\s<>]", address) is None
        assert absolute_url(address, base) == address


@given(st.text(max_size=60) | st.from_regex(r"\d{4}-\d\d-\d\d(T\d\d:\d\d)?"))
def test_a_date_is_iso_and_stays_what_it_is(text: str) -> None:
    day = iso_date(text)

    if day is not None:
        assert re.match(r"\d{4}-\d\d-\d\d", day)
        assert iso_date(day) == day


@given(
    st.dates(date(1900, 1, 1), date(2100, 12, 31)),
    st.sampled_from(
        [
            "{0:%d} {1} {0:%Y}",
            "{0:%d} de {1} de {0:%Y}",
            "{0:%Y}. {1} {0:%d}.",
            "{1} {0:%d}, {0:%Y}",
        ]
    ),
    st.data(),
)
def test_a_named_month_makes_the_same_date_in_any_order(
    day: date, form: str, data: st.DataObject
) -> None:
    name = data.draw(
        st.sampled_from([name for name, month in MONTHS.items() if month == day.month])
    )

    assert iso_date(form.format(day, name.upper())) == day.isoformat()


@given(
    st.dates(date(1900, 1, 1), date(2100, 12, 31)),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"]),
)
def test_a_date_in_numbers_is_the_day_that_was_meant_or_nothing(day: date, form: str) -> None:
    assert iso_date(day.strftime(form)) in {None, day.isoformat()}
    assert iso_date(day.strftime("%d.%m.%Y")) == day.isoformat()


@given(st.lists(st.tuples(st.integers(1, 500), st.floats(0, 1)), min_size=1))
def test_the_threshold_is_one_of_the_likelihoods(runs: list[tuple[int, float]]) -> None:
    words, likely = zip(*runs, strict=True)

    assert best_threshold(words, likely) in likely


@given(
    written=st.from_regex(r"[/#][/.?;#a%=&:@_~-]{,12}", fullmatch=True),
    base=st.sampled_from(
        (BASE, "http://h.example:8080", "https://h.example?q=/x", "https://H.example/a;b?#c")
    ),
)
@example("/a/../b", BASE)
@example("/a?b?", BASE)
@example("#a", "https://H.example/a;b?#c")
def test_a_path_or_a_place_is_joined_as_a_browser_does(written: str, base: str) -> None:
    address = absolute_url(written, base)

    assert address is None or address == urljoin(base, written)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\ufffd")))
def test_utf8_text_is_decoded_unchanged(text: str) -> None:
    assert decode_if_utf8(text.encode()) in {text, None}
    assert decode_if_utf8((text + "潮水退").encode()) == text + "潮水退"
