"""Searches in pages: as many as it takes, and never one too many."""

import pytest

from webseam.adapters.services.calls import Reply
from webseam.adapters.services.operations import Paging

from .imitation import Imitation
from .made_up import search, service


def rows(start: int, end: int) -> dict[str, object]:
    return {"body": {"rows": list(range(start, end))}}


def paths(imitation: Imitation) -> list[str]:
    return [request.path for request in imitation.requests]


def test_a_limit_within_a_page_is_one_call_with_that_count() -> None:
    outcome, requests = search(service(Paging(size=10, most=5)), [rows(0, 3)], max_results=3)

    assert len(outcome.unwrap().rows) == 3
    assert paths(requests) == ["/search?count=3&page=0&offset=0&token="]


def test_no_limit_is_one_call_without_a_count() -> None:
    _, requests = search(service(Paging(size=10, most=5)), [rows(0, 10)])

    assert paths(requests) == ["/search?count=None&page=0&offset=0&token="]


def test_a_service_without_pages_is_asked_once_for_everything() -> None:
    _, requests = search(service(), [rows(0, 10)], max_results=30)

    assert paths(requests) == ["/search?count=30&page=0&offset=0&token="]


def test_pages_follow_until_there_is_enough_and_keep_their_size() -> None:
    outcome, requests = search(
        service(Paging(size=10, most=5)), [rows(0, 10), rows(10, 20), rows(20, 30)], max_results=25
    )

    assert [row.url for row in outcome.unwrap().rows] == [
        f"https://a.example/{n}" for n in range(25)
    ]
    assert paths(requests) == [
        f"/search?count=10&page={page}&offset={page * 10}&token=" for page in range(3)
    ]


def test_a_short_page_is_the_last() -> None:
    outcome, requests = search(service(Paging(size=10, most=5)), [rows(0, 9)], max_results=25)

    assert len(outcome.unwrap().rows) == 9
    assert len(requests.requests) == 1


def test_paging_with_varying_lengths_ends_at_an_empty_page() -> None:
    paging = Paging(size=10, most=5, full=False)

    outcome, requests = search(
        service(paging), [rows(0, 7), rows(7, 15), rows(0, 0)], max_results=25
    )

    assert len(outcome.unwrap().rows) == 15
    assert paths(requests)[1:] == [
        "/search?count=10&page=1&offset=7&token=",
        "/search?count=10&page=2&offset=15&token=",
    ]


def test_no_more_pages_are_asked_for_than_the_service_has() -> None:
    outcome, requests = search(
        service(Paging(size=10, most=2)), [rows(0, 10), rows(10, 20)], max_results=50
    )

    assert len(outcome.unwrap().rows) == len(requests.requests) * 10 == 20


def test_a_page_that_repeats_ends_the_search_and_rows_come_once() -> None:
    result, requests = search(
        service(Paging(size=10, most=9)),
        [rows(0, 10), rows(5, 15), rows(5, 15)],
        max_results=50,
    )

    outcome = result.unwrap()
    assert [row.url for row in outcome.rows] == [f"https://a.example/{n}" for n in range(15)]
    assert len(requests.requests) == 3
    assert outcome.receipt.warnings == ("15 rows came again on a later page and were left out",)


def test_a_token_leads_to_the_next_page_until_there_is_none() -> None:
    def token(reply: Reply) -> str:
        return str(reply.payload.get("next", "")) if isinstance(reply.payload, dict) else ""

    paging = Paging(size=10, most=9, full=False, token=token)
    first: dict[str, object] = {"body": {"rows": [1, 2], "next": "abc"}}

    outcome, requests = search(service(paging), [first, rows(3, 5)], max_results=50)

    assert len(outcome.unwrap().rows) == 4
    assert paths(requests)[1] == "/search?count=10&page=1&offset=2&token=abc"


def test_first_page_that_fails_fails_the_search() -> None:
    outcome, _ = search(service(Paging(size=10, most=5)), [{"status": 500}], max_results=20)

    assert outcome.failure().kind == "upstream_unavailable"


@pytest.mark.parametrize("bad", [{"status": 500}, {"text": "no", "type": "application/json"}])
def test_later_page_that_fails_leaves_the_rows_before_it(bad: dict[str, object]) -> None:
    pages = [rows(0, 10), rows(10, 20), bad]

    outcome, _ = search(service(Paging(size=10, most=5)), pages, max_results=50)

    assert len(outcome.unwrap().rows) == 20
    (warning,) = outcome.unwrap().receipt.warnings
    assert warning.startswith("page 3 is missing, and what follows: made_up ")
