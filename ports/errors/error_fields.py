"""Define what all errors share: fields, texts, and what each kind means to its callers."""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, TypeAlias, get_args

import msgspec
from msgspec.structs import replace

from ..attempts import BackendAttempt

# Text that a page, a service or a model wrote, or that quotes one. A door marks and truncates it,
# and fences it for a model; ``foreign_fields`` finds it by this type.
Foreign: TypeAlias = Annotated[str, msgspec.Meta(extra={"foreign": True})]

_MAX_FOREIGN_CHARS = 300
_NAME_PATTERN = re.compile(r"[\w.:/+-]{1,60}", re.ASCII)
_INNER_QUOTES = str.maketrans(dict.fromkeys('"“”„‟«»', "'"))

# The exit status of a command, by name.
ExitName: TypeAlias = Literal["bad_input", "not_configured", "backend_failed", "refused", "bug"]
# invalid: a wrong call. unsupported: a missing feature. unauthorized: no valid key. forbidden: not
# for this key. missing: no such resource. budget: the key's budget is spent. shared_budget: a
# common one is. rate: too many calls. busy: no capacity. denied, unreadable: this page. deadline:
# too slow. unavailable: not configured. backend: all backends failed.
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

# A backend rests no longer, whatever it says.
MAX_PAUSE_SECONDS = 86_400.0
# A longer wait means that the plan is used up, not a short-term limit.
_MAX_LIMIT_SECONDS = 3600.0
_THEIR_BUG = "That is a bug in the backend or plugin named here, not in the call."
# The embedded backend that reads pages without a service.
PAGES_READER = "pages"


@cache
def foreign_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """Return the names of the fields that hold text of the other side."""
    fields = msgspec.structs.fields(kind)
    return frozenset(field.name for field in fields if _is_foreign_type(field.type))


def _is_foreign_type(field_type: object) -> bool:
    return field_type == Foreign or any(map(_is_foreign_type, get_args(field_type)))


def quote_foreign(text: str) -> str:
    """Return text of the other side on one line, truncated, and in quotation marks if not a name.

    >>> quote_foreign("No credit."), quote_foreign("image/png")
    ('“No credit”', 'image/png')
    """
    line = " ".join(text.split()).rstrip(". ")
    if _NAME_PATTERN.fullmatch(line):
        return line
    if len(line) > _MAX_FOREIGN_CHARS:
        line = line[: _MAX_FOREIGN_CHARS - 1].rstrip() + "…"
    return f"“{line.translate(_INNER_QUOTES)}”"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the planner does about one error: retry here, ask the next backend, or stop.

    ``here`` applies only when no other target is left. ``once`` retries at once and one time, for a
    reused connection that the server had closed. ``cools`` is why the target or its key rests, and
    ``wait`` how many seconds the service asked for. ``blames`` counts towards the breaker, which
    opens after ``opens_after`` in a row. A ``slow`` error used its whole time limit. An
    ``unreached`` one may be caused by the caller's network. ``billed`` is whether the call counts
    as paid, unless the service reports a cost.
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

# python: the developer of a program. terminal: a person at the command line. http: a caller of the
# gateway, who sends requests and cannot change its settings. mcp: a model that has only its tools.
Reader: TypeAlias = Literal["python", "terminal", "http", "mcp"]


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """What to do next, in the words of each reader; empty where nothing helps."""

    python: str = ""
    terminal: str = ""
    http: str = ""
    mcp: str = ""


def make_remedy(terminal: str, http: str, mcp: str = "", python: str = "") -> Remedy:
    """Return a remedy; a developer can run commands, and a model calls like a program."""
    return Remedy(terminal=terminal, http=http, mcp=mcp or http, python=python or terminal)


SETTINGS = make_remedy(
    "docs/settings.md lists every setting; `webseam config show` prints the origin of each value.",
    "Ask the operator of the gateway to correct the setting.",
    "Tell the user to correct the setting; `webseam config show` prints its origin.",
)
NETWORK = make_remedy(
    "Check the address, the network and the proxy; `webseam doctor --live` tries each service.",
    "Check the address, or try again later.",
)
LATER = make_remedy(
    "Try again later, or ask another backend: `webseam backends` lists them.", "Try again later."
)
ADD_A_SERVICE = make_remedy(
    "`webseam setup` adds a service; `webseam backends` lists those that work.",
    "Ask the operator of the gateway to add a service.",
    "Tell the user that `webseam setup` adds a service.",
)
LIST_MODELS = make_remedy(
    "`webseam models` lists the providers and what each of them needs.",
    "Ask the operator of the gateway which models it has.",
    "Tell the user that `webseam models` lists the providers.",
)
THEIR_BUG = make_remedy(_THEIR_BUG, _THEIR_BUG)


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of a kind of error."""

    exit: ExitName = "backend_failed"
    refusal: RefusalKind = "backend"
    verdict: Verdict
    remedy: Remedy = Remedy()


def rate_limit_verdict(wait: float | None, why: CoolReason) -> Verdict:
    """Return the verdict on a service that asks for a pause of ``wait`` seconds."""
    is_long = wait is not None and wait > _MAX_LIMIT_SECONDS
    return Verdict(move="here", cools="quota" if is_long else why, wait=wait)


class ErrorFields(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """The common fields. Only subclasses are instantiated and belong to the union.

    ``attempts`` are those of the call that failed; this error is that of the last one, or stands
    for all. Each subclass has a ``_sentence`` for a person or a model, made from the typed fields.
    """

    backend: str | None = None
    url: str | None = None
    attempts: tuple[BackendAttempt, ...] = ()

    retryable: ClassVar[bool] = False
    usual: ClassVar[Facts]

    def __init_subclass__(cls) -> None:
        """Refuse a subclass without ``usual``."""
        super().__init_subclass__()
        if "usual" not in vars(cls):
            message = f"{cls.__name__} has no facts: give it `usual`"
            raise TypeError(message)

    if TYPE_CHECKING:

        def _sentence(self) -> str: ...

    def _problem(self) -> str:
        """Return the sentence without commands, for those who cannot run them."""
        return self._sentence()

    @property
    def message(self) -> str:
        """What happened, with the words of the other side in quotation marks."""
        return self.message_to("python")

    def message_to(self, reader: Reader, mark: Callable[[str], str] = quote_foreign) -> str:
        """Return what happened, with each text of the other side as ``mark`` shows it."""
        marked, can_run_commands = self.map_foreign(mark), reader in ("python", "terminal")
        return marked._sentence() if can_run_commands else marked._problem()  # noqa: SLF001  its own

    def remedy_for(self, reader: Reader) -> str:
        """Return what ``reader`` can do next; empty if nothing helps."""
        return str(getattr(self.facts.remedy, reader))

    def map_foreign(self, change: Callable[[str], str]) -> Self:
        """Return the error with each text of the other side changed; an empty one stays."""
        values = {name: getattr(self, name) for name in foreign_fields(type(self))}
        return replace(
            self,
            **{
                name: tuple(map(change, value)) if isinstance(value, tuple) else change(value)
                for name, value in values.items()
                if value
            },
        )

    @property
    def facts(self) -> Facts:
        """The facts of its kind; a subclass may refine them by its fields."""
        return self.usual

    @property
    def kind(self) -> str:
        """The name of this error in JSON."""
        return str(self.__struct_config__.tag)

    @property
    def who(self) -> str:
        """The backend's name, or a substitute.

        Users do not know the embedded reader, so the site's host stands in for it.
        """
        host = (self.url or "").partition("://")[2].partition("/")[0]
        return host if self.backend == PAGES_READER and host else self.backend or "the backend"


def seconds_text(number: float) -> str:
    """Write a duration for people.

    >>> seconds_text(2.0), seconds_text(0.25)
    ('2 s', '0.25 s')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".") + " s"


def retry_text(seconds: float | None) -> str:
    """Say as the end of a sentence when to retry; empty if the service did not say it.

    Nothing rests longer than a day, whatever a service says.
    """
    if seconds is None:
        return ""
    return f"; try again in {seconds_text(min(seconds, MAX_PAUSE_SECONDS))}"


def detail_text(detail: str) -> str:
    """Return the other side's text as the end of a sentence; empty without one.

    >>> "It failed" + detail_text("no credit.")
    'It failed: no credit'
    """
    # The caller adds the full stop.
    return f": {detail.rstrip('. ')}" if detail else ""


def end_sentence(text: str, detail: str = "") -> str:
    """Add the other side's text, and a full stop unless it ends in ``!`` or ``?``.

    >>> end_sentence("Refused by p", "no"), end_sentence("Refused by p: no!")
    ('Refused by p: no.', 'Refused by p: no!')
    """
    sentence = text + detail_text(detail)
    return sentence if sentence.endswith(("!", "?")) else f"{sentence}."
