"""What a backend says about where its answer came from, and how much of it is believed."""

from typing import cast

import pytest
from returns.result import Success

from webseam.ports import Served, Usage
from webseam.testing import FakeBackend

from .ask import GOOD, URL, extract, search


def test_a_search_out_of_a_cache_says_so_in_its_receipt() -> None:
    outcome = search(FakeBackend(search=Success(Served(answer=[GOOD], cached=True)))).unwrap()

    assert outcome.receipt.cached
    assert [row.url for row in outcome.rows] == [GOOD["url"]]


def test_a_page_out_of_a_cache_says_so_in_its_receipt() -> None:
    document = {"url": URL, "content": "text"}

    page = extract(FakeBackend(extract=Success(Served(answer=document, cached=True)))).unwrap()

    assert page.receipt.cached
    assert page.content == "text"


def test_rows_out_of_a_cache_are_checked_like_any_others() -> None:
    poisoned = Served(answer=[{"title": "t", "url": "javascript:alert(1)"}], cached=True)

    assert search(FakeBackend(search=Success(poisoned))).failure().kind == "invalid_row"


def test_a_warning_is_made_one_line() -> None:
    served = Served(answer=[], warnings=("the cache\nis \x1bfull",))

    outcome = search(FakeBackend(search=Success(served))).unwrap()

    assert outcome.receipt.warnings == ("the cache is full",)
    assert not outcome.receipt.cached


@pytest.mark.parametrize(
    ("served", "warnings"),
    [
        (Served(answer=[], cached=cast("bool", "yes"), warnings=cast("tuple[str, ...]", None)), ()),
        (
            Served(answer=[], cached=cast("bool", 1), warnings=cast("tuple[str, ...]", (1, "x"))),
            ("x",),
        ),
        (Served(answer=[], warnings=tuple("abcdefghijklm")), tuple("abcdefghij")),
    ],
)
def test_invalid_served_facts_are_left_out(served: Served, warnings: tuple[str, ...]) -> None:
    receipt = search(FakeBackend(search=Success(served))).unwrap().receipt

    assert (receipt.cached, receipt.warnings) == (False, warnings)


def test_an_answer_inside_an_answer_is_no_list_of_rows() -> None:
    nested = Served(answer=Served(answer=[]))

    assert search(FakeBackend(search=Success(nested))).failure().kind == "bad_payload"


def test_usage_of_a_model_is_in_the_receipt() -> None:
    usage = Usage(input_tokens=9, output_tokens=4, cached_tokens=3)
    document = {"url": URL, "content": "x"}

    searched = search(FakeBackend(search=Success(Served(answer=[], usage=usage)))).unwrap()
    page = extract(FakeBackend(extract=Success(Served(answer=document, usage=usage)))).unwrap()

    assert (searched.receipt.usage, page.receipt.usage) == (usage, usage)


@pytest.mark.parametrize("usage", ["many", Usage(input_tokens=cast("int", "9"))])
def test_counts_that_are_none_stay_out_of_the_receipt(usage: object) -> None:
    served = Served(answer=[], usage=cast("Usage", usage))

    receipt = search(FakeBackend(search=Success(served))).unwrap().receipt

    assert receipt.usage is None
