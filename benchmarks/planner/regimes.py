"""What the scenes do not show: few calls, declared limits, money."""

from collections.abc import Callable
from functools import partial

from webseam.kernel.planner.planner_targets import PlannerRules

from .ours import Fold
from .rivals import LiteLLM, Naive, Planner
from .run import Figures, figures, play
from .scenes import Scene, always
from .world import TIMEOUT, World

_WELL = always("well")
_BUDGET = 9_000_000


def rare_calls(calls: int) -> Figures:
    """One call a minute, the first backend hung for good."""
    world, cpu = play(Fold, Scene(always("hung"), _WELL, _WELL), calls, rate=1 / 60)
    return figures(("one call a minute, first hung", "webseam"), world, cpu, calls, 0.0)


def second_alone(calls: int) -> Figures:
    """What the second backend is like by itself: the measure for the targets."""

    class Second(Naive):
        names = ("b",)

    world, cpu = play(Second, Scene(_WELL, _WELL, _WELL), calls)
    return figures(("second alone", "single"), world, cpu, calls, 0.0)


def paced(calls: int) -> Figures:
    """12 calls a second are allowed, 20 are wanted, and the limit is declared."""

    def make(world: World) -> Fold:
        return Fold(world, PlannerRules(timeout=TIMEOUT), rate=12.0 * 0.95)

    world, cpu = play(make, Scene(always(12.0), _WELL, _WELL), calls)
    return figures(("12 a second, declared", "webseam"), world, cpu, calls, 0.0)


def overspent(planner: str, rate: float, calls: int) -> Figures:
    """A cap of nine dollars under many calls at once."""
    make = _SPENDERS[planner]
    world, cpu = play(make, Scene(_WELL, _WELL, _WELL), calls, rate=rate, budget=_BUDGET)
    return figures((f"$9 at {rate:.0f} calls/s", planner), world, cpu, calls, 0.0)


_SPENDERS: dict[str, Callable[[World], Planner]] = {
    "naive": Naive,
    "LiteLLM": LiteLLM,
    "webseam": Fold,
}
REGIMES: dict[str, Callable[[int], Figures]] = {
    "rare calls": rare_calls,
    "paced": paced,
    "second alone": second_alone,
    **{
        f"{rate:.0f}/s for {planner}": partial(overspent, planner, rate)
        for rate in (50.0, 200.0)
        for planner in _SPENDERS
    },
}
