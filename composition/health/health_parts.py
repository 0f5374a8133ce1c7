"""The health of one part (search, pages, models, X, index, plugins), and the verdict."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from returns.result import Result

from webseam.ports import errors

from ..feature_table import Part
from ..settings.schema import Settings
from ..settings.settings_root import SettingsRoot

# good: works; care: needs attention; bad: set up, but fails; off: not set up.
State: TypeAlias = Literal["good", "care", "bad", "off"]
UNREACHED_ERRORS = (
    errors.ConnectFailed, errors.ConnectionLost, errors.DeadlineExceeded, errors.DnsNotFound,
    errors.DnsUnavailable, errors.Timeout, errors.TlsFailed,
)  # fmt: skip
# The label and the reason of each kind of error; where the reason is empty, its message says it.
_ERROR_TEXTS = (
    ((errors.AuthFailed,), "key refused", "its key was refused"),
    ((errors.QuotaExhausted,), "used up", "its plan is used up"),
    ((errors.RateLimited,), "too busy", "it asks to slow down"),
    ((errors.NotConfigured,), "incomplete", ""),
    (UNREACHED_ERRORS, "not reached", "it was not reached"),
)
_TRY_COMMAND = "webseam search tide tables"
_LIVE_COMMAND = "webseam doctor --live"
_COMMON_OPENINGS = ("search", "pages", "no ", "models", "questions", "several", "the ", "a ")
_MAX_NAMED_PARTS = 3
# Many users do not need these parts.
_OPTIONAL_PARTS = ("Models", "X", "Index")


class HealthPart(msgspec.Struct, frozen=True):
    """The health of one part, with the command that fixes it.

    The verdict contains ``clause`` unless it is empty. ``subject`` is the subject of the clause,
    ``about`` the name of the backend.
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
    """Describe the sandbox of the page parsers and the sandbox of the browser."""

    parsers: str
    browser: str


class ProviderTrial(msgspec.Struct, frozen=True, kw_only=True):
    """The duration of a call to a model provider, or its error."""

    seconds: float
    error: errors.WebError | None = None


class ExaminableProvider(NamedTuple):
    """A provider of models, and what can be found out about it from the settings."""

    name: str
    has_account: Callable[[], bool]
    examine: Callable[[Mapping[str, ProviderTrial]], HealthPart]


class ProviderHealth(NamedTuple):
    """How the feature models examines its providers.

    ``words`` are names that mean no provider, such as ``x``. ``failures`` are the reasons why
    providers of installed packages cannot be loaded.
    """

    words: Mapping[str, Callable[[Settings, Mapping[str, ProviderTrial]], HealthPart]]
    in_use: Callable[[Settings], tuple[str, ...]]
    find: Callable[[str, Settings], Result[ExaminableProvider, errors.WebError]]
    trial: Callable[[str, SettingsRoot], Awaitable[ProviderTrial]]
    failures: Callable[[], Sequence[str]]


PROVIDERS = Part[ProviderHealth]("provider_health")


class BackendProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A problem of a backend: its label, the reason as a clause, and the command that fixes it."""

    word: str
    reason: str
    fix: str


def backend_problem(error: errors.WebError, name: str) -> BackendProblem:
    """Describe the error of a call as a problem of the backend; a reason has no period.

    >>> backend_problem(errors.AuthFailed(status=401, backend="brave"), "brave").reason
    'its key was refused'
    """
    texts = ((word, reason) for kinds, word, reason in _ERROR_TEXTS if isinstance(error, kinds))
    word, reason = next(texts, ("failed", ""))
    fix = health_fix_command(error, name)
    return BackendProblem(word=word, reason=reason or error.message.rstrip("."), fix=fix)


def health_fix_command(error: errors.WebError, name: str) -> str:
    """Return the command that fixes an error, or gives more details about it."""
    if isinstance(error, errors.AuthFailed | errors.NotConfigured):
        return f"webseam setup {name}"
    return f"webseam doctor {name} --live"


class HealthVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict: ``healthy`` if no part fails, ``idle`` if no examined part is set up."""

    healthy: bool
    idle: bool = False
    sentence: str
    command: str
    why: str = ""


def judge_health(
    parts: Sequence[HealthPart], *, live: bool, is_named: bool = False
) -> HealthVerdict:
    """Return the verdict, failures last; ``is_named`` if the user named these parts."""
    failed = [part for part in parts if part.state == "bad"]
    clauses = [part.clause for part in parts if part.clause and part.state != "bad"]
    sentence = "; ".join([*clauses, *_failed_part_clauses(failed)])
    if not sentence:
        sentence = "; ".join(f"{part.name} is {part.word}" for part in parts)
    # Keep the spelling of a backend name at the start of the sentence.
    is_common_word = any(sentence.startswith(opening) for opening in _COMMON_OPENINGS)
    command, why = _next_command(parts, failed, live=live, is_named=is_named)
    return HealthVerdict(
        healthy=not failed,
        idle=all(part.state == "off" for part in parts),
        sentence=f"{sentence[:1].upper() if is_common_word else sentence[:1]}{sentence[1:]}.",
        command=command,
        why=why,
    )


def _failed_part_clauses(failed: Sequence[HealthPart]) -> Iterator[str]:
    for word in dict.fromkeys(part.word for part in failed):
        similar_parts = [part for part in failed if part.word == word]
        names = dict.fromkeys(part.subject for part in similar_parts)
        if len(names) == 1:
            yield similar_parts[0].clause
        else:
            yield f"{_join_part_names([*names])} do not work: {word}"


def _join_part_names(names: Sequence[str]) -> str:
    """Join names for a sentence; count those after the third.

    >>> _join_part_names(["search", "X"]), _join_part_names(["a", "b", "c", "d", "e"])
    ('search and X', 'a, b, c and 2 more')
    """
    shown, rest = names[:_MAX_NAMED_PARTS], len(names) - _MAX_NAMED_PARTS
    if rest > 0:
        return f"{', '.join(shown)} and {rest} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _next_command(
    parts: Sequence[HealthPart], failed: Sequence[HealthPart], *, live: bool, is_named: bool
) -> tuple[str, str]:
    """Return the most useful next command, and its purpose."""
    if fixes := [part.fix for part in failed if part.fix]:
        return fixes[0], ""
    relevant = [
        part
        for part in parts
        if is_named or part.name not in _OPTIONAL_PARTS or part.state == "care"
    ]
    if missing_fix := next((part.fix for part in relevant if part.fix), ""):
        return missing_fix, ""
    if not live:
        names = " ".join(part.name for part in parts) if is_named else ""
        return f"{_LIVE_COMMAND} {names}".rstrip(), "makes one real call to each that is set up"
    optional_fix = next((part.fix for part in parts if part.fix), "")
    return (_TRY_COMMAND, "") if is_named or not optional_fix else (optional_fix, "if you want one")
