"""Every quick fault of the catalogue, over real sockets, first on a route with a sound backend."""

import asyncio
from collections.abc import Iterable

from returns.result import Failure, Result

from tests.http.driving import KEY, LIMITS, kind_of, run, search, transport_to, url_of
from tests.http.test_faults import RACES, SLOW
from webseam.composition import json_backend
from webseam.composition.wiring.planner.backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.health.verdicts import judge
from webseam.kernel.search import web_search
from webseam.ports import SearchOutcome, WebError
from webseam.testing import FAULTS, FaultyServer

from .support import Scripted, route

# A flaky one answers otherwise the second time it is asked.
NAMES = [name for name in FAULTS if name not in (*SLOW, *RACES) and "flaky" not in name]
Searched = Result[SearchOutcome, WebError]


async def play(names: Iterable[str]) -> dict[str, tuple[Searched, Searched]]:
    """Search at each fault, alone and with somebody sound behind it."""
    async with FaultyServer() as server, transport_to(server) as transport:

        def routed(name: str) -> RouteBackend:
            faulty = json_backend(
                search_url=url_of(server, name),
                key=KEY,
                name="faulty",
                transport=transport,
                limits=LIMITS,
            ).unwrap()
            return route([faulty, Scripted("sound")], hedge_after=1000.0)

        async def both(name: str) -> tuple[Searched, Searched]:
            alone = await search(server, name, transport)
            return alone, await web_search("q", WebDeps(backend=routed(name)))

        found = await asyncio.gather(*(both(name) for name in names))
        return dict(zip(names, found, strict=True))


def test_whatever_the_first_sends_the_next_answers_and_the_receipt_names_the_fault() -> None:
    found = run(play(NAMES))

    assert len(found) > 50
    for name, (alone, routed) in found.items():
        if isinstance(alone, Failure) and judge(alone.failure()).move == "stop":
            assert kind_of(routed) == kind_of(alone), name
            continue
        receipt = routed.unwrap().receipt
        if isinstance(alone, Failure):
            # Under load one fault may show as another: it must be one, and the other must answer.
            outcomes = {one.outcome for one in receipt.attempts if one.backend == "faulty"}
            assert (name, receipt.backend) == (name, "sound")
            assert outcomes, name
            assert "answered" not in outcomes, name
        else:
            assert (name, receipt.backend) == (name, "faulty")
