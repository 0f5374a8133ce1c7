"""One part of the house and how it is: search, pages, models, X, the index, plugins."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from returns.result import Result

from ...ports.errors import (
    AuthFailed,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    NotConfigured,
    QuotaExhausted,
    RateLimited,
    Timeout,
    TlsFailed,
    WebError,
)
from ..features import load_part
from ..settings.schema import Settings

# Good works, care is worth a look, bad is set up and does not work, off is not set up.
State: TypeAlias = Literal["good", "care", "bad", "off"]
UNREACHED = (
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    Timeout,
    TlsFailed,
)


class HealthPart(msgspec.Struct, frozen=True, kw_only=True):
    """How one part is: in a word, in detail, and what mends it.

    ``clause`` is what the verdict says of it, empty where it need not be mentioned; ``subject`` is
    whom that speaks of, ``about`` the backend behind it.
    """

    name: str
    state: State
    word: str
    detail: str = ""
    fix: str = ""
    clause: str = ""
    subject: str = ""
    about: str = ""


class Sandboxes(msgspec.Struct, frozen=True, kw_only=True):
    """In words for people: what holds workers that parse pages, and what holds the browser."""

    parsers: str
    browser: str


class ProviderTrial(msgspec.Struct, frozen=True, kw_only=True):
    """What a call to a provider of models gave: how long it took, or the failure."""

    seconds: float
    error: WebError | None = None


class ProviderHealth(NamedTuple):
    """How the feature models examines its providers. A provider is opaque to the core.

    ``words`` are names that mean no provider, such as ``x``. ``failures`` are the reasons why
    providers of installed packages cannot be loaded.
    """

    words: Mapping[str, Callable[[Settings, Mapping[str, ProviderTrial]], HealthPart]]
    in_use: Callable[[Settings], tuple[str, ...]]
    find: Callable[[str, Settings], Result[Any, WebError]]
    has_account: Callable[[Any, Settings], bool]
    part: Callable[[Any, Settings, Mapping[str, ProviderTrial]], HealthPart]
    trial: Callable[[str, Settings], Awaitable[ProviderTrial]]
    failures: Callable[[], Sequence[str]]


def provider_health() -> ProviderHealth:
    """Return how providers of models are examined."""
    loaded: ProviderHealth = load_part("provider_health")
    return loaded


class BackendProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a backend: in a word, as the end of a sentence, and what mends it."""

    word: str
    reason: str
    fix: str


def backend_problem(error: WebError, name: str) -> BackendProblem:
    """Return what is wrong, from the failure of a call."""
    return BackendProblem(
        word=state_word(error), reason=short_reason(error), fix=fix_command(error, name)
    )


def short_reason(error: WebError) -> str:
    """Return why something failed, as the end of a sentence.

    >>> short_reason(AuthFailed(status=401, backend="brave"))
    'its key was refused'
    """
    if isinstance(error, AuthFailed):
        return "its key was refused"
    if isinstance(error, QuotaExhausted):
        return "its plan is used up"
    if isinstance(error, RateLimited):
        return "it asks to slow down"
    if isinstance(error, UNREACHED):
        return "it was not reached"
    return error.message.rstrip(".")


def state_word(error: WebError) -> str:
    """Return the state of what failed, in a word or two.

    >>> state_word(AuthFailed(status=401, backend="brave"))
    'key refused'
    """
    if isinstance(error, AuthFailed):
        return "key refused"
    if isinstance(error, QuotaExhausted):
        return "used up"
    if isinstance(error, RateLimited):
        return "too busy"
    if isinstance(error, NotConfigured):
        return "not whole"
    return "not reached" if isinstance(error, UNREACHED) else "failed"


def fix_command(error: WebError, name: str) -> str:
    """Return the command that mends a failure, or tells more about it."""
    if isinstance(error, AuthFailed | NotConfigured):
        return f"webseam setup {name}"
    return f"webseam doctor {name} --live"


# The verdict over all parts: one sentence, and the command to type next.

_TRY = "webseam search tide tables"
_LIVE = "webseam doctor --live"
_WORDS = ("search", "pages", "no ", "models", "questions", "several", "the ", "a ")
_MAX_NAMED_PARTS = 3
# Who has none of these may not want any.
_OPTIONAL = ("Models", "X", "Index")


class HealthVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """``healthy`` says that nothing which is set up fails; ``why`` what the command does.

    ``idle`` says that nothing is set up of what was looked at.
    """

    healthy: bool
    idle: bool = False
    sentence: str
    command: str
    why: str = ""


def judge_health(
    parts: Sequence[HealthPart], *, live: bool, is_named: bool = False
) -> HealthVerdict:
    """Return the verdict; what does not work is said last, where it is remembered.

    ``is_named``: somebody asked about these parts alone.
    """
    failed = [part for part in parts if part.state == "bad"]
    clauses = [part.clause for part in parts if part.clause and part.state != "bad"]
    sentence = "; ".join([*clauses, *_failures(failed)])
    # A name is spelled as it is typed, also at the beginning.
    own = any(sentence.startswith(word) for word in _WORDS)
    command, why = _next(parts, failed, live=live, named=is_named)
    return HealthVerdict(
        healthy=not failed,
        idle=all(part.state == "off" for part in parts),
        sentence=f"{sentence[:1].upper() if own else sentence[:1]}{sentence[1:]}.",
        command=command,
        why=why,
    )


def _failures(failed: Sequence[HealthPart]) -> Iterator[str]:
    """Yield a clause for each kind of failure: several that failed alike share one."""
    for word in dict.fromkeys(part.word for part in failed):
        alike = [part for part in failed if part.word == word]
        names = dict.fromkeys(part.subject for part in alike)
        if len(names) == 1:
            yield alike[0].clause
        else:
            yield f"{_listed([*names])} do not work: {word}"


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them.

    >>> _listed(["search", "X"]), _listed(["a", "b", "c", "d", "e"])
    ('search and X', 'a, b, c and 2 more')
    """
    shown, rest = names[:_MAX_NAMED_PARTS], len(names) - _MAX_NAMED_PARTS
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _next(
    parts: Sequence[HealthPart], failed: Sequence[HealthPart], *, live: bool, named: bool
) -> tuple[str, str]:
    """Return the command that helps most, and why."""
    fixes = [part.fix for part in failed if part.fix]
    if fixes:
        return fixes[0], ""
    wanted = [part for part in parts if part.name not in _OPTIONAL or part.state == "care"]
    missing = next((part.fix for part in wanted if part.fix), "")
    if missing:
        return missing, ""
    if not live:
        names = " ".join(part.name for part in parts) if named else ""
        return f"{_LIVE} {names}".rstrip(), "makes one real call to each that is set up"
    offer = next((part.fix for part in parts if part.fix), "")
    return (_TRY, "") if named or not offer else (offer, "if you want one")
