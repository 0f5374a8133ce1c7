"""A page is as pleasant as a row: a mapping, a line in a list, HTML in a notebook."""

from pathlib import Path

import msgspec
import pytest

import webseam
from webseam.testing import FakeBackend

URL = "https://tides.example/"
ROWS = [{"title": "Tides", "url": URL, "snippet": "High and low."}]
CONTENT = (
    "# Tides\n\nHigh and <img src=https://x.example/?q> ![low](https://x.example/?q) [here]"
    "(https://tides.example/more).\n\n```\na < b\n```\n"
)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> webseam.WebExtractResult:
    monkeypatch.setenv("HOME", str(tmp_path))
    with webseam.open_blocking(backend=FakeBackend(ROWS, CONTENT)) as web:
        return web.extract(URL)


def test_page_is_a_mapping_of_its_fields(page: webseam.WebExtractResult) -> None:
    assert dict(page)["content"] == page["content"] == page.content
    assert page.get("nothing", 3) == 3
    assert page.to_dict()["receipt"] == msgspec.to_builtins(page.receipt)
    assert [*page] == [*page.__struct_fields__]
    assert bool(page)


def test_page_in_a_list_is_one_short_line(page: webseam.WebExtractResult) -> None:
    assert repr([page]) == (
        "[WebExtractResult(url='https://tides.example/', title='', "
        f"content of {len(page.content):,} characters)]"
    )


def test_page_in_a_notebook_has_headings_links_and_code_and_loads_nothing(
    page: webseam.WebExtractResult,
) -> None:
    html = page._repr_html_()

    assert "<h1>Tides</h1>" in html
    assert '<a href="https://tides.example/more"' in html
    assert "<pre>a &lt; b</pre>" in html
    assert "<img" not in html


def test_row_or_page_goes_wherever_its_url_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with webseam.open_blocking(backend=FakeBackend(ROWS, CONTENT)) as web:
        found = web.search("tides")
        page = web.extract(found[0])
        again = web.extract(page)
        pages = web.extract_many(found)

    assert [page.url, again.url] == [URL, URL]
    assert [it.url for it in pages if isinstance(it, webseam.WebExtractResult)] == [URL]


def test_code_that_never_ends_is_text(page: webseam.WebExtractResult) -> None:
    open_code = msgspec.structs.replace(page, content="Before.\n```\na < b")

    assert "\na &lt; b</div>" in open_code._repr_html_()
    assert "<pre>" not in open_code._repr_html_()


def test_text_of_a_page_says_how_to_go_on(page: webseam.WebExtractResult) -> None:
    receipt = msgspec.structs.replace(page.receipt, handle="h1", next_cursor=9, omitted=90)
    cut = msgspec.structs.replace(page, receipt=receipt)
    lost = msgspec.structs.replace(
        page, receipt=msgspec.structs.replace(page.receipt, omitted=90), complete=False
    )

    assert "[more: webseam more h1]" in str(cut)
    assert "[90 characters not shown]" in str(lost)
    assert "[Not all of the page was read.]" in str(lost)
