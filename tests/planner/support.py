"""A route over fakes: who answers what, with the real planner, driver and ledger between."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from returns.result import Failure, Result, Success

from webseam.adapters.stores.ledger import Ledger
from webseam.composition.planning.driver import Planner
from webseam.composition.planning.open_backends import OpenBackend
from webseam.composition.planning.route_backend import OpenTarget, RouteBackend, RoutePlan
from webseam.composition.planning.shared_health import SharedHealth
from webseam.composition.planning.spending import TargetTerms, TaskSpending
from webseam.kernel.deps import RowPolicy
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import Budgets
from webseam.kernel.planner.planner_targets import PlannerRules, PlannerTarget
from webseam.kernel.policy import Policy
from webseam.ports.backends import BackendAbout, RowsAnswer
from webseam.ports.errors import WebError
from webseam.ports.planning import LedgerStore
from webseam.ports.web import WebSearchQuery

# Long ago: what is held by the clock of the loop has not come to its end.
NOON = 1_700_000_000.0


class Scripted:
    """Gives its answers in turn, the last one for ever; ``asked`` counts."""

    def __init__(
        self, name: str, *answers: WebError | Sequence[str] | Callable[[], Awaitable[None]]
    ) -> None:
        self.about = BackendAbout(name=name)
        self.answers = list(answers) or [()]
        self.asked = 0
        self.closed = 0

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(answer):
            await answer()
            return Success([row(self.about.name)])
        if isinstance(answer, Sequence):
            return Success([row(url) for url in answer] or [row(self.about.name)])
        return Failure(answer)

    async def extract(self, url: str, /) -> Result[Mapping[str, object], WebError]:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Sequence):
            return Success({"url": url, "title": self.about.name, "content": "text"})
        return Failure(answer) if not callable(answer) else Success({})

    async def aclose(self) -> None:
        self.closed += 1


def row(name: str) -> dict[str, object]:
    return {"title": name, "url": f"https://{name}.example/", "snippet": ""}


def single(*names: str) -> tuple[Leg, ...]:
    return tuple(Leg(members=((f"search:{name}#1",),)) for name in names)


def route(
    backends: Sequence[OpenBackend],
    folder: Path | LedgerStore | None = None,
    *,
    legs: tuple[Leg, ...] | None = None,
    prices: Mapping[str, int] | None = None,
    budgets: Budgets | None = None,
    hedge_after: float | None = None,
    rows: RowPolicy = "strict",
) -> RouteBackend:
    """Return a route over ``backends``; with ``folder`` its ledger is there, or is that one."""
    costs = prices or {}
    targets = {
        f"search:{one.about.name}#1": PlannerTarget(
            name=f"search:{one.about.name}#1",
            backend=one.about.name,
            price=costs.get(one.about.name, 0),
        )
        for one in backends
    }
    terms = {name: TargetTerms(free=not one.price, seconds=10.0) for name, one in targets.items()}
    ledger = Ledger(folder / "ledger.sqlite") if isinstance(folder, Path) else folder
    planner = Planner(
        targets,
        terms,
        PlannerRules(hedge_after=hedge_after),
        SharedHealth(ledger),
        TaskSpending(budgets or Budgets(), ledger, "search", lambda: NOON),
    )
    opened = {
        f"search:{one.about.name}#1": OpenTarget(backend=one, policy=Policy()) for one in backends
    }
    plan = RoutePlan(
        legs=legs or single(*(one.about.name for one in backends)),
        seconds=30.0,
        strict=len(backends) == 1,
        rows=rows,
    )
    return RouteBackend(BackendAbout(name="route"), plan, opened, planner)


GOOD = b'{"results": [{"title": "t", "url": "https://a.example/", "content": "s"}]}'


def response(status: str, body: bytes, *headers: str) -> bytes:
    lines = (f"HTTP/1.1 {status}", "content-type: application/json", *headers)
    head = "\r\n".join((*lines, f"content-length: {len(body)}", "", ""))
    return head.encode() + body


OK = response("200 OK", GOOD)


DOWN = response("503 Service Unavailable", b"{}")
