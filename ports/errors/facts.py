"""What a kind of failure means to everybody who meets one: said once, on its class."""

from typing import Literal, TypeAlias

import msgspec

# How a command ends.
ExitName: TypeAlias = Literal["bad_input", "not_configured", "backend_failed", "refused", "bug"]
# invalid: the call is wrong. unsupported: we do not have it. unauthorized: no good key. forbidden:
# the key may not. missing: there is no such thing. budget: spent. shared_budget: that of all. rate:
# too many calls. busy: no room here. denied, unreadable: this page. deadline: too slow.
# unavailable: not set up. backend: everybody behind us failed.
RefusalKind: TypeAlias = Literal[
    "invalid",
    "unsupported",
    "unauthorized",
    "forbidden",
    "missing",
    "conflict",
    "too_large",
    "budget",
    "shared_budget",
    "rate",
    "busy",
    "denied",
    "unreadable",
    "deadline",
    "unavailable",
    "backend",
]
Move: TypeAlias = Literal["here", "once", "next", "stop"]
CoolReason: TypeAlias = Literal["", "limit", "load", "quota", "key", "forbidden", "model"]

# Longer than this it is no limit of a moment but a plan that is used up.
_LONGEST_LIMIT_SECONDS = 3600.0


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the planner does about one failure: try again here, ask the next, or stop.

    ``here`` is only for when nobody else is left to ask. ``once`` is at once and one time, for a
    kept connection that was closed under us. ``cools`` says why the target, or its key, is left
    alone, and ``wait`` for how long the service asked. What ``blames`` counts towards the breaker,
    which opens after ``opens_after`` in a row. A ``slow`` failure took its whole time; one that was
    ``unreached`` may be the fault of the caller's own network. ``billed`` is what the money is
    settled with when nobody says better.
    """

    move: Move = "next"
    cools: CoolReason = ""
    wait: float | None = None
    blames: bool = False
    opens_after: int | None = None
    slow: bool = False
    unreached: bool = False
    billed: bool = False


STOP = Verdict(move="stop")
NEXT = Verdict()
PAGE = Verdict(billed=True)
PAID_STOP = Verdict(move="stop", billed=True)
WRONG = Verdict(blames=True, billed=True)
BROKEN_OFF = Verdict(move="once", blames=True, billed=True)
SLOW = Verdict(blames=True, billed=True, slow=True)
UNREACHED = Verdict(blames=True, unreached=True)
REFUSED_THERE = Verdict(move="here", blames=True, unreached=True)
GONE = Verdict(blames=True, unreached=True, opens_after=2)

SETTINGS = (
    "docs/settings.md lists every setting; `webseam config show` tells where each value is from."
)
NETWORK = (
    "Check the address, the network and the proxy; `webseam doctor --live` tries each service."
)
LATER = "Try again later, or ask another backend: `webseam backends` lists them."
ADD_A_SERVICE = "`webseam setup` adds a service; `webseam backends` lists who can answer now."
LIST_MODELS = "`webseam models` lists the providers and what each of them needs."
THEIR_BUG = "That is a bug in the backend or plugin named here, not in the call."


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody has to know of a kind: ``remedy`` is one sentence, or nothing to add."""

    exit: ExitName
    refusal: RefusalKind
    verdict: Verdict
    remedy: str = ""


def limited(wait: float | None, why: CoolReason) -> Verdict:
    """Return what to do about somebody who asks to be left alone for ``wait`` seconds."""
    long = wait is not None and wait > _LONGEST_LIMIT_SECONDS
    return Verdict(move="here", cools="quota" if long else why, wait=wait)
