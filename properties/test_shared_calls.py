"""Callers that share a call at the same time: one receipt or error has its cost, each other says that it is shared."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from hypothesis import given, settings, strategies as st
from returns.result import Result

from tests.clock import SkippingLoop, run
from tests.planner.support import Scripted, route
from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_extract, web_extract_many, web_search
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import HttpStatus, UpstreamUnavailable, WebError

URL = "https://a.example/"
PRICE = 0.005
Operation = Literal["search", "extract", "extract_many"]
ANSWERS: tuple[WebError | Sequence[str], ...] = (
    ["a"], UpstreamUnavailable(status=503), HttpStatus(status=404),
)  # fmt: skip


def attempts_of(outcome: Result[object, WebError]) -> tuple[BackendAttempt, ...]:
    value = outcome.value_or(None)
    if value is None:
        return outcome.failure().attempts
    attempts: tuple[BackendAttempt, ...] = value.receipt.attempts  # type: ignore[attr-defined]
    return attempts


async def ask(operation: Operation, deps: WebDeps) -> Result[object, WebError]:
    if operation == "search":
        return await web_search("q", deps)
    if operation == "extract":
        return await web_extract(URL, deps)
    (page,) = await web_extract_many([URL], deps)
    return page


@settings(max_examples=16, deadline=None)
@given(
    operations=st.sampled_from(
        [("search",), ("extract",), ("extract_many",), ("extract", "extract_many")]
    ),
    answer=st.sampled_from(ANSWERS),
    callers=st.integers(1, 5),
)
def test_calls_at_once_cost_together_what_one_costs(
    operations: tuple[Operation, ...], answer: WebError | Sequence[str], callers: int
) -> None:
    async def main(folder: Path) -> tuple[int, list[tuple[BackendAttempt, ...]]]:
        service = Scripted("a", answer)
        backend = route([service], folder, prices={"a": int(PRICE * 1e6)})
        deps = WebDeps(backend=with_cache(backend, CacheStore(folder / "cache")))
        calls = [ask(operations[at % len(operations)], deps) for at in range(callers)]
        outcomes = await asyncio.gather(*calls)
        await backend.aclose()
        return service.asked, list(map(attempts_of, outcomes))

    with TemporaryDirectory() as folder:
        asked, attempts = run(main(Path(folder)), SkippingLoop)

    paid = [row for row in attempts if any(attempt.why != "shared" for attempt in row)]
    assert len(paid) == 1
    assert len(paid[0]) == asked
    for row in attempts:
        assert row
        assert row is paid[0] or all((each.why, each.cost) == ("shared", 0.0) for each in row)
