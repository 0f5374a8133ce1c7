"""Errors of routes: no backend answers, or a budget does not allow the call."""

from collections.abc import Mapping
from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import replace

from .error_fields import LATER, NEXT, STOP, ErrorFields, Facts, make_remedy, seconds_text

# The setting of a key's own budget begins with this.
OWN_BUDGET_PREFIX = "the budget of this key"
_DNS_KINDS = frozenset(("dns_not_found", "dns_unavailable"))


# Why a backend rests, in words.
REST_WORDS: Mapping[str, str] = {
    "limit": "it asked to slow down", "load": "it has too much to do",
    "quota": "its plan is used up", "key": "it refused the key",
    "forbidden": "it refused the key, or this place", "model": "it has no such model",
    "refused": "it refused several queries in a row", "failed": "it failed",
}  # fmt: skip
RestCause: TypeAlias = Literal[
    "limit", "load", "quota", "key", "forbidden", "model", "refused", "failed"
]
# These rests end by themselves, soon.
_LIMIT_CAUSES = frozenset({"limit", "load"})


class NobodyAnswered(ErrorFields, frozen=True, kw_only=True, tag="nobody_answered"):
    """Every backend of the route failed or rests.

    ``causes`` say why backends rest, ``resting`` names backends that were not asked because of
    earlier failures, and ``again_in`` is in how many seconds a retry may help. ``setting`` sets the
    budget that prevented an attempt. ``filters`` are filters and values that kept backends from
    being asked. It is not ``retryable`` if each backend would fail again in the same way.
    """

    resting: tuple[str, ...] = ()
    causes: Mapping[str, RestCause] = {}
    again_in: float | None = None
    setting: str = ""
    filters: Mapping[str, str] = {}
    # The one kind for which this depends on the errors of others.
    retryable: bool = True  # type: ignore[misc]

    usual = Facts(
        verdict=STOP,
        remedy=make_remedy(
            "`webseam doctor --live` tries each; `webseam backends` shows which rest.",
            http="Try again later.",
            mcp="Try again later; tell the user that `webseam doctor` finds the cause.",
        ),
    )

    @property
    def facts(self) -> Facts:
        """If all attempts failed in the same way, report that way."""
        outcomes = {attempt.outcome for attempt in self.attempts}
        is_limited = not outcomes and self.causes and _LIMIT_CAUSES.issuperset(self.causes.values())
        if outcomes == {"rate_limited"} or is_limited:
            return replace(self.usual, refusal="rate")
        is_late = outcomes and outcomes <= {"timeout", "deadline_exceeded"}
        return replace(self.usual, refusal="deadline") if is_late else self.usual

    @property
    def is_offline(self) -> bool:
        """Whether no host name was found and nothing was reached: this machine is offline."""
        outcomes = {attempt.outcome for attempt in self.attempts}
        several = len({attempt.backend for attempt in self.attempts}) > 1
        is_unreached = outcomes <= {*_DNS_KINDS, "connect_failed"}
        return several and is_unreached and not outcomes.isdisjoint(_DNS_KINDS)

    def _sentence(self) -> str:
        if self.is_offline:
            names = ", ".join(dict.fromkeys(attempt.backend for attempt in self.attempts))
            return f"This machine seems to have no network: none of {names} could be reached."
        failed = dict.fromkeys(f"{row.backend} ({row.outcome})" for row in self.attempts)
        reasons = {name: f": {REST_WORDS[cause]}" for name, cause in self.causes.items()}
        resting = [
            f"{name} (resting{reasons.get(name, ' after failures')})" for name in self.resting
        ]
        backends = ", ".join([*failed, *resting]) or "none was asked"
        when = "" if self.again_in is None else f" Try again in {seconds_text(self.again_in)}."
        advice = f" To spend more, raise {self.setting}." if self.setting else ""
        filters = ", ".join(f"{name} {value}".strip() for name, value in self.filters.items())
        unable = f" Some cannot filter by {filters}." if filters else ""
        return f"No backend answered: {backends}.{unable}{when}{advice}"


class WaitedTooLong(ErrorFields, frozen=True, kw_only=True, tag="waited_too_long"):
    """All backends were busy with other calls until this one timed out."""

    waited: float

    retryable: ClassVar[bool] = True
    usual = Facts(refusal="busy", verdict=STOP, remedy=LATER)

    def _sentence(self) -> str:
        return f"All backends were busy with other calls for {seconds_text(self.waited)}."


class BudgetExceeded(ErrorFields, frozen=True, kw_only=True, tag="budget_exceeded"):
    """The call may cost more than a budget has left, so it was not made. In dollars.

    ``setting`` sets the budget.
    """

    budget: str
    cap: float
    remaining: float
    price: float
    setting: str

    usual = Facts(
        exit="refused",
        refusal="shared_budget",
        verdict=NEXT,
        remedy=make_remedy(
            "`webseam spend` tells what was spent, and what is left of each budget.",
            http="Ask the operator of the gateway to raise the budget.",
            mcp="Tell the user that `webseam spend` shows what is left of each budget.",
        ),
    )

    @property
    def facts(self) -> Facts:
        """A key's own budget concerns its holder; the others are shared."""
        is_own = self.setting.startswith(OWN_BUDGET_PREFIX)
        return replace(self.usual, refusal="budget") if is_own else self.usual

    def _sentence(self) -> str:
        rest = f"{dollars_text(self.remaining)} of {dollars_text(self.cap)} remain"
        return (
            f"{self.who} was not asked: it may cost {dollars_text(self.price)}, and {rest}"
            f" for {self.budget}. To spend more, raise {self.setting}."
        )


def dollars_text(amount: float) -> str:
    """Write an amount of money: at least two decimals, at most six.

    >>> dollars_text(1.5), dollars_text(0.00525)
    ('$1.50', '$0.00525')
    """
    dollars, _, decimals = f"{amount:.6f}".partition(".")
    return f"${dollars}.{decimals.rstrip('0'):0<2}"


Kinds: TypeAlias = NobodyAnswered | WaitedTooLong | BudgetExceeded

__all__ = ["BudgetExceeded", "NobodyAnswered", "WaitedTooLong"]
