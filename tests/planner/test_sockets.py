"""Every quick fault of the catalogue, over real sockets, first on a route with a sound backend."""

from collections.abc import Iterable

from returns.result import Failure, Result

from tests.http.driving import KEY, LIMITS, kind_of, run, transport_to, url_of
from tests.http.expected import SEARCHED, by_fault
from tests.http.servers import RACES, SLOW
from webseam import json_backend
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search
from webseam.ports import SearchOutcome, WebError
from webseam.testing import FAULTS, FaultyServer

from .support import Scripted, route

# A flaky one answers otherwise the second time it is asked.
NAMES = [name for name in FAULTS if name not in (*SLOW, *RACES) and "flaky" not in name]
Searched = Result[SearchOutcome, WebError]


async def play(names: Iterable[str]) -> dict[str, Searched]:
    """Search at each fault, one after the other, with somebody sound behind it."""
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

        return {name: await web_search("q", WebDeps(backend=routed(name))) for name in names}


def test_whatever_the_first_sends_the_next_answers_and_the_receipt_names_the_fault() -> None:
    outcomes = run(play(NAMES))

    assert len(outcomes) > 50
    for name, outcome in outcomes.items():
        if isinstance(outcome, Failure):
            assert kind_of(outcome) == by_fault(SEARCHED)[name]
            assert outcome.failure().facts.verdict.move == "stop", name
            continue
        receipt = outcome.unwrap().receipt
        fates = {one.outcome for one in receipt.attempts if one.backend == "faulty"}
        answering = "faulty" if by_fault(SEARCHED)[name] == "ok" else "sound"
        assert (name, receipt.backend, "answered" in fates) == (
            name,
            answering,
            answering == "faulty",
        )
        assert fates, name
