"""What all errors share: who failed, on which URL, and whether trying again can help."""

from typing import ClassVar, Literal, TypeAlias

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


# What all errors share: who failed, on which URL, and whether trying again can help.

# The backend that reads pages from this machine, without any service.
PAGES_READER = "pages"


class ErrorFields(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The common fields. Not a member of the union: only its subclasses are ever made.

    Each of them has a ``message``: one sentence for a person or a model, from the typed fields.
    """

    backend: str | None = None
    url: str | None = None

    retryable: ClassVar[bool] = False
    usual: ClassVar[Facts]

    def __init_subclass__(cls) -> None:
        """Refuse a kind that does not say what it means."""
        super().__init_subclass__()
        if "usual" not in vars(cls):
            message = f"{cls.__name__} has no facts: give it `usual`"
            raise TypeError(message)

    @property
    def facts(self) -> Facts:
        """What it means: those of its kind, unless its fields say more."""
        return self.usual

    @property
    def kind(self) -> str:
        """The word that names this error in JSON."""
        return str(self.__struct_config__.tag)

    @property
    def who(self) -> str:
        """The backend's name, or words that stand in for it.

        Our own reader is nobody to a person: there it is the site that answers.
        """
        host = (self.url or "").partition("://")[2].partition("/")[0]
        return host if self.backend == PAGES_READER and host else self.backend or "the backend"


def seconds_text(number: float) -> str:
    """Write a duration the way people do.

    >>> seconds_text(2.0), seconds_text(0.25)
    ('2 s', '0.25 s')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".") + " s"


def detail_text(detail: str) -> str:
    """Append what the other side said, if it said anything.

    >>> "It failed" + detail_text("no credit.")
    'It failed: no credit'
    """
    # The full stop is ours.
    return f": {detail.rstrip('. ')}" if detail else ""


def end_sentence(text: str) -> str:
    """End a sentence, unless somebody else's words have ended it.

    >>> end_sentence("Refused by p: no"), end_sentence("Refused by p: no!")
    ('Refused by p: no.', 'Refused by p: no!')
    """
    return text if text.endswith(("!", "?")) else f"{text}."
