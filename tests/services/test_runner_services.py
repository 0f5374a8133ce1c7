"""Refusals that mean nothing found, and what a decoder is told."""

from collections.abc import Sequence

import msgspec
from returns.result import Result

from tests.services.made_up import decode_search, encode_search, search, service
from webseam.adapters.services.calls import Reply
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.operations import Paging, SearchOperation
from webseam.ports import UntrustedRow, WebError

NOTHING: dict[str, object] = {"status": 422, "body": {"error": {"code": "NO_RESULT"}}}


def with_empty(paging: Paging | None = None) -> Service:
    declared = service(paging)
    assert isinstance(declared.search, SearchOperation)
    operation = msgspec.structs.replace(declared.search, empty=_says_nothing)
    return msgspec.structs.replace(declared, search=operation)


def _says_nothing(reply: Reply) -> bool:
    return reply.payload == NOTHING["body"]


def test_a_refusal_that_means_nothing_found_is_a_success_without_rows() -> None:
    outcome, _ = search(with_empty(), [NOTHING])

    assert outcome.unwrap().rows == ()


def test_another_refusal_with_that_status_is_a_failure() -> None:
    outcome, _ = search(with_empty(), [{"status": 422, "body": {"error": "bad"}}])

    assert outcome.failure().kind == "http_status"


def test_nothing_found_on_a_later_page_is_the_end_of_the_pages() -> None:
    first: dict[str, object] = {"body": {"rows": list(range(10))}}

    outcome, requests = search(
        with_empty(Paging(size=10, most=5)), [first, NOTHING], max_results=30
    )

    assert len(outcome.unwrap().rows) == 10
    assert len(requests.requests) == 2
    assert outcome.unwrap().receipt.warnings == ()


def test_a_decoder_is_told_which_page_it_reads() -> None:
    pages: list[int] = []

    def note(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
        pages.append(reply.page)
        return decode_search(reply)

    declared = service(Paging(size=10, most=5))
    operation = SearchOperation(
        encode=encode_search, decode=note, paging=Paging(size=10, most=5, full=False)
    )
    first: dict[str, object] = {"body": {"rows": list(range(10))}}
    search(
        msgspec.structs.replace(declared, search=operation),
        [first, {"body": {"rows": []}}],
        max_results=30,
    )

    assert pages == [0, 1]
