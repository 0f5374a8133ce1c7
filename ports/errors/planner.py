"""Nobody could be asked, or nobody may be paid."""

from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from ..attempts import BackendAttempt
from .error_fields import LATER, NEXT, STOP, ErrorFields, Facts, seconds_text

# How the setting of a budget begins that is one key's own.
OWN_BUDGET = "the budget of this key"


class NobodyAnswered(ErrorFields, frozen=True, kw_only=True, tag="nobody_answered"):
    """Everybody on the route failed, or is left alone for now.

    ``attempts`` are those of this call, ``resting`` names who was not asked because of failures
    before it, and ``again_in`` is in how many seconds it is worth asking again. ``setting`` is the
    one that sets the budget which kept somebody from being asked.
    """

    attempts: tuple[BackendAttempt, ...] = ()
    resting: tuple[str, ...] = ()
    again_in: float | None = None
    setting: str = ""

    retryable: ClassVar[bool] = True

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed",
        refusal="backend",
        verdict=STOP,
        remedy="`webseam doctor --live` tries each; `webseam backends` tells who is left alone.",
    )

    @property
    def facts(self) -> Facts:
        """All who failed in one way: that way."""
        outcomes = {attempt.outcome for attempt in self.attempts}
        if outcomes == {"rate_limited"}:
            return replace(self.usual, refusal="rate")
        late = outcomes and outcomes <= {"timeout", "deadline_exceeded"}
        return replace(self.usual, refusal="deadline") if late else self.usual

    @property
    def message(self) -> str:
        """Say who failed and how, who rests, and when to come back."""
        failed = dict.fromkeys(f"{one.backend} ({one.outcome})" for one in self.attempts)
        resting = [f"{name} (left alone after failures)" for name in self.resting]
        who = ", ".join([*failed, *resting]) or "nobody was asked"
        when = "" if self.again_in is None else f" Try again in {seconds_text(self.again_in)}."
        more = f" To spend more, raise {self.setting}." if self.setting else ""
        return f"Nobody answered: {who}.{when}{more}"


class WaitedTooLong(ErrorFields, frozen=True, kw_only=True, tag="waited_too_long"):
    """All who could be asked were busy with other calls for the whole time of this one."""

    waited: float

    retryable: ClassVar[bool] = True

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed", refusal="busy", verdict=STOP, remedy=LATER
    )

    @property
    def message(self) -> str:
        """Say how long there was no free place."""
        return f"Everybody was busy with other calls for {seconds_text(self.waited)}."


class BudgetExceeded(ErrorFields, frozen=True, kw_only=True, tag="budget_exceeded"):
    """The call would cost more than is left of a budget, so it was not made. Dollars.

    ``setting`` is the one that sets the budget.
    """

    budget: str
    cap: float
    remaining: float
    price: float
    setting: str

    usual: ClassVar[Facts] = Facts(
        exit="refused",
        refusal="shared_budget",
        verdict=NEXT,
        remedy="`webseam spend` tells what was spent, and what is left of each budget.",
    )

    @property
    def facts(self) -> Facts:
        """A key's own budget is its holder's, the others are those of all."""
        own = self.setting.startswith(OWN_BUDGET)
        return replace(self.usual, refusal="budget") if own else self.usual

    @property
    def message(self) -> str:
        """Say which budget, what is left of it, and what to raise."""
        rest = f"{dollars_text(self.remaining)} of {dollars_text(self.cap)} remain"
        return (
            f"{self.who} was not asked: it may cost {dollars_text(self.price)}, and {rest} for"
            f" {self.budget}. To spend more, raise {self.setting}."
        )


def dollars_text(amount: float) -> str:
    """Write an amount of money: at least two decimals, at most six.

    >>> dollars_text(1.5), dollars_text(0.00525)
    ('$1.50', '$0.00525')
    """
    whole, _, parts = f"{amount:.6f}".partition(".")
    return f"${whole}.{parts.rstrip('0'):0<2}"


Kinds: TypeAlias = NobodyAnswered | WaitedTooLong | BudgetExceeded

__all__ = ["BudgetExceeded", "NobodyAnswered", "WaitedTooLong"]
