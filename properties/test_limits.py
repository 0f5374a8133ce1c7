"""The limit: clamped, passed on, kept; and receipts that agree with what happened."""

from hypothesis import example, given, strategies as st

from webseam.composition.features.testing.strategies import queries, rows
from webseam.kernel import WebDeps, clamp_max_results
from webseam.kernel.laws.field_checks import query_filters
from webseam.ports.backends import EVERY_FILTER
from webseam.testing import FakeBackend

from .ask import search


@given(st.integers())
@example(10**40)
def test_clamping_stays_within_bounds_and_is_idempotent(asked: int) -> None:
    clamped = clamp_max_results(asked)

    assert clamped is not None
    assert 1 <= clamped <= 100
    assert clamp_max_results(clamped) == clamped


@given(st.integers(1, 100))
def test_a_limit_within_bounds_is_left_alone(asked: int) -> None:
    assert clamp_max_results(asked) == asked


@given(st.integers(), st.integers())
def test_clamping_keeps_order(one: int, other: int) -> None:
    smaller, larger = sorted((one, other))

    assert (clamp_max_results(smaller) or 0) <= (clamp_max_results(larger) or 0)


@given(query=queries(), given_rows=st.lists(rows(), max_size=8))
def test_the_receipt_agrees_with_what_happened(
    query: dict[str, object], given_rows: list[dict[str, object]]
) -> None:
    backend = FakeBackend(rows=given_rows, name="b", abilities=EVERY_FILTER)

    outcome = search(WebDeps(backend=backend), query).unwrap()

    (seen,) = backend.searched
    receipt = outcome.receipt
    assert receipt.backend == "b"
    assert receipt.query == query["query"] == seen.query
    assert receipt.asked_max_results == query.get("max_results")
    assert receipt.max_results == seen.max_results == clamp_max_results(receipt.asked_max_results)
    assert receipt.clamped == (receipt.asked_max_results != receipt.max_results)
    assert receipt.filters == query_filters(seen)
    assert receipt.returned == len(given_rows)
    verified_count = len(given_rows) - receipt.filtered
    assert receipt.trimmed == verified_count - len(outcome.rows)
    limit = receipt.max_results
    assert len(outcome.rows) == (verified_count if limit is None else min(limit, verified_count))
