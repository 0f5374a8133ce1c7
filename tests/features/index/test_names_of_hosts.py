"""Hosts in one spelling, and words that markdown divides."""

from pathlib import Path

import pytest

from webseam.adapters.features.index.documents import IndexDocument
from webseam.ports import WebSearchQuery

from .shelf import shelf, urls

NATIVE = IndexDocument(url="https://www.münchen.de/native", text="tide tables")
ASCII = IndexDocument(url="https://xn--mnchen-3ya.de/ascii", text="tide tables")
OTHER = IndexDocument(url="https://munchen.de/other", text="tide tables")


@pytest.mark.parametrize("name", ["münchen.de", "MÜNCHEN.de", "xn--mnchen-3ya.de"])
def test_site_is_found_by_either_spelling(name: str, tmp_path: Path) -> None:
    index = shelf(tmp_path, NATIVE, ASCII, OTHER)

    assert set(urls(index, f"tide site:{name}")) == {NATIVE.url, ASCII.url}
    assert set(urls(index, f"tide -site:{name}")) == {OTHER.url}
    query = WebSearchQuery(query="tide", include_domains=(name,))
    assert {row["url"] for row in index.search(query).unwrap()} == {NATIVE.url, ASCII.url}


@pytest.mark.parametrize("text", ["**Q**uokka", "*Q*uokka", "quok**ka**", "quo***kk***a"])
def test_emphasis_inside_a_word_does_not_divide_it(text: str, tmp_path: Path) -> None:
    document = IndexDocument(url="https://a.example/", text=f"The {text} is small.")
    index = shelf(tmp_path, document)

    assert urls(index, "quokka") == [document.url]
    assert urls(index, "small") == [document.url]
