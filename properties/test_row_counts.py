"""Rows are at most ``max_results``, fewer only if there are no more, and the counts add up."""

import asyncio
import json
from collections.abc import Callable, Sequence

from hypothesis import example, given, strategies as st
from returns.result import Success

from properties.service_rows import LEGS, MOST_ROWS, PAGINGS, RowsOfAService, declared
from tests.planner.support import Scripted, route
from webseam.adapters.services.declaration import Price
from webseam.adapters.services.operations import Paging
from webseam.composition.planning.route_backend import RouteBackend
from webseam.composition.wiring.service_backends import service_backend
from webseam.kernel import WebDeps, web_search
from webseam.kernel.deps import RowPolicy
from webseam.kernel.planner.fusion import fusion_key
from webseam.kernel.policy import Policy
from webseam.kernel.port_answers import left_out_rows
from webseam.ports.backends import RowsAnswer, Served
from webseam.ports.receipts import SearchReceipt, Usage
from webseam.ports.web import Query, SearchAnswer, SearchOutcome, WebSearchQuery, WebSearchResult
from webseam.testing import FakeBackend


def ask(backend: object, query: Query, **more: object) -> SearchOutcome:
    outcome = asyncio.run(web_search(query, WebDeps(backend=backend, **more)))  # type: ignore[arg-type]
    assert isinstance(outcome, Success), outcome
    found: SearchOutcome = outcome.unwrap()
    return found


def assert_counts_add_up(outcome: SearchOutcome, limit: int | None) -> None:
    receipt = outcome.receipt
    assert receipt.returned == len(outcome.rows) + left_out_rows(receipt)
    assert [row.position for row in outcome.rows] == list(range(1, len(outcome.rows) + 1))
    assert limit is None or len(outcome.rows) <= limit
    assert len({row.url for row in outcome.rows}) == len(outcome.rows)


@given(
    wanted=st.lists(st.booleans(), max_size=16),
    limit=st.integers(1, MOST_ROWS),
    paging=st.sampled_from(PAGINGS),
    by_policy=st.booleans(),
)
@example(wanted=[True, False] * 5, limit=5, paging=Paging(size=10, most=5), by_policy=False)
@example(wanted=[True, False] * 5, limit=5, paging=None, by_policy=True)
def test_rows_are_fewer_than_asked_for_only_if_the_service_has_no_more_or_the_receipt_says_so(
    wanted: list[bool], limit: int, paging: Paging | None, *, by_policy: bool
) -> None:
    transport = RowsOfAService(wanted)
    options = {"api_key": "key-0123456789"}
    backend = service_backend(declared(paging), options, transport=transport).unwrap()
    excluded = () if by_policy else ("bad.example",)
    query: Query = {"query": "q", "max_results": limit, "exclude_domains": excluded}
    policy = Policy(deny_domains=("bad.example",)) if by_policy else Policy()

    outcome = ask(backend, query, policy=policy)

    assert_counts_add_up(outcome, limit)
    there = sum(wanted[:MOST_ROWS])
    is_told = any("there may be more" in warning for warning in outcome.receipt.warnings)
    assert len(outcome.rows) == min(limit, there) or is_told
    assert not is_told or len(outcome.rows) < limit
    if sum(wanted[:limit]) == min(limit, len(wanted)):
        # What is there at once is not asked for twice.
        assert (
            transport.asked
            <= -(-limit // (limit if paging is None else min(limit, paging.size))) + 1
        )


def test_rows_that_each_cost_are_not_asked_for_twice() -> None:
    price = Price(search=0.01, page="p", read="r", included=2, more=0.001)
    transport = RowsOfAService([True, False] * 5)
    options = {"api_key": "key-0123456789"}
    backend = service_backend(declared(None, price), options, transport=transport).unwrap()

    outcome = ask(backend, {"query": "q", "max_results": 4, "exclude_domains": ("bad.example",)})

    assert (len(outcome.rows), transport.asked) == (2, 1)
    assert "there may be more" in outcome.receipt.warnings[0]


NAMES = st.lists(st.sampled_from(["x", "y", "z", "www.x", "é", "xn--9ca"]), max_size=5)


@given(lists=st.tuples(NAMES, NAMES, NAMES), limit=st.none() | st.integers(1, 120))
def test_counts_of_fused_answers_add_up(
    lists: tuple[list[str], list[str], list[str]], limit: int | None
) -> None:
    members = [Scripted(name, names or (name,)) for name, names in zip("abc", lists, strict=True)]
    backend: RouteBackend = route(members, legs=LEGS)

    outcome = ask(backend, WebSearchQuery(query="q", max_results=limit))

    assert_counts_add_up(outcome, limit)
    urls = [
        f"https://{name}.example/"
        for names, own in zip(lists, "abc", strict=True)
        for name in names or (own,)
    ]
    assert outcome.receipt.returned == len(urls)
    duplicates = len(urls) - len(set(map(fusion_key, urls)))
    if limit is None or limit >= max(map(len, lists)):
        assert outcome.receipt.merged == duplicates
    else:
        # A member's own limit may trim a duplicate before the lists are merged.
        assert 0 <= outcome.receipt.merged <= duplicates


def outcome_of(urls: Sequence[str], **more: object) -> SearchOutcome:
    rows = tuple(
        WebSearchResult(title="t", url=url, snippet="", position=2 * n + 1, source="x")
        for n, url in enumerate(urls)
    )
    counts = {"returned": len(rows), "rejected": 0, "trimmed": 0}
    receipt = SearchReceipt(
        backend="x",
        query="q",
        asked_max_results=None,
        max_results=None,
        clamped=False,
        filters=(),
        **{**counts, **more},  # type: ignore[arg-type]
    )
    return SearchOutcome(rows=rows, answer=None, rejected=(), receipt=receipt)


@given(
    hosts=st.lists(st.sampled_from(["good.example", "bad.example", "denied.example"]), max_size=6),
    limit=st.none() | st.integers(1, 4),
    counts=st.fixed_dictionaries({"returned": st.integers(0, 9), "trimmed": st.integers(0, 9)}),
    handling=st.sampled_from(["strict", "quarantine"]),
)
@example(
    hosts=["good.example"] * 3, limit=2, counts={"returned": 3, "trimmed": 0}, handling="strict"
)
def test_outcome_that_a_backend_hands_over_keeps_to_the_limit_and_the_filters(
    hosts: list[str], limit: int | None, counts: dict[str, int], handling: RowPolicy
) -> None:
    urls = [f"https://{host}/{n}" for n, host in enumerate(hosts)]
    served = Served(answer=(), outcome=outcome_of(urls, **counts))
    answer: Callable[[WebSearchQuery], RowsAnswer] = lambda _query: Success(served)  # noqa: E731
    query = WebSearchQuery(query="q", max_results=limit, exclude_domains=("bad.example",))

    outcome = ask(
        FakeBackend(search=answer),
        query,
        policy=Policy(deny_domains=("denied.example",)),
        rows=handling,
    )

    assert_counts_add_up(outcome, limit)
    good = [url for url in urls if "//good" in url]
    assert [row.url for row in outcome.rows] == good[: len(good) if limit is None else limit]


class Model(Scripted):
    """Says what its model used."""

    async def search(self, query: WebSearchQuery, /) -> RowsAnswer:
        answer = await super().search(query)
        return answer.map(
            lambda rows: Served(answer=rows, usage=Usage(input_tokens=2, output_tokens=1, cost=0.5))
        )


class Prose(Scripted):
    """Answers in prose, with its name."""

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        return Success([SearchAnswer(text=self.about.name)])


@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_prose_of_each_member_of_a_route_is_shown_or_left_out_by_name(answers: list[bool]) -> None:
    members = [Prose(name) if answers[at] else Scripted(name) for at, name in enumerate("abc")]

    outcome = ask(route(members, legs=LEGS), WebSearchQuery(query="q"))

    texts = [name for at, name in enumerate("abc") if answers[at]]
    assert (None if outcome.answer is None else outcome.answer.text) == next(iter(texts), None)
    told = [text for text in outcome.receipt.warnings if "left out" in text]
    left_out = ", ".join(texts[1:])
    assert told == ([f"the answer is that of {texts[0]}; left out: {left_out}"] if left_out else [])


def test_usage_of_every_member_of_a_route_is_in_the_receipt() -> None:
    backend = route([Model("a"), Scripted("b"), Model("c")], legs=LEGS)

    receipt = ask(backend, WebSearchQuery(query="q")).receipt

    assert receipt.usage == Usage(input_tokens=4, output_tokens=2, cost=1.0)
    assert json.loads(json.dumps(receipt.merged)) == 0
