"""Of every list, exactly the pages that are named more than once are known."""

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from webseam.adapters.features.bulk.crawling import duplicate_urls as lists
from webseam.adapters.features.bulk.crawling.duplicate_urls import REPEATED_FILE_NAME, DuplicateUrls
from webseam.adapters.features.bulk.crawling.repeats import RepeatedPages
from webseam.kernel.features.bulk.url_lists import crawl_host

pages = st.integers(0, 40).map(lambda number: f"https://a.example/{number}")


@given(urls=st.lists(pages, max_size=120), at_once=st.integers(1, 50))
def test_repeated_urls_are_found_for_every_batch_size(urls: list[str], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as name:
        patch.setattr(lists, "_SORT_BATCH_URLS", at_once)
        folder = Path(name)
        listed = DuplicateUrls()
        for url in urls:
            listed.add_page(url, crawl_host(url))
        repeats = listed.write_repeated(folder)
        repeated = RepeatedPages(folder, folder / "kept")
        counts = Counter(urls)
        assert {url for url in counts if repeated.is_repeated(url)} == {
            url for url, count in counts.items() if count > 1
        }
        assert repeats == Counter(map(crawl_host, urls)) - Counter(map(crawl_host, counts))
        assert (folder / REPEATED_FILE_NAME).exists() == any(count > 1 for count in counts.values())
