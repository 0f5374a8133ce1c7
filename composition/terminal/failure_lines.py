"""A failure for a person: the message, its kind, and the next commands."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from webseam.kernel.text.display import strip_hidden
from webseam.ports import errors as e
from webseam.ports.errors import WebError

from ..settings.file_locations import is_regular_file
from .styled_lines import NextStep, Span, fact_footer, hanging_lines, shell_quote, step_lines
from .terminal_look import TerminalLook

_BUILT_IN_BACKENDS = ("index", "json", "pages")
_REFUSED_KEY_KIND = str(e.AuthFailed.__struct_config__.tag)
_UNREACHED_ERRORS = (
    e.ConnectFailed, e.ConnectionLost, e.DeadlineExceeded, e.DnsNotFound, e.DnsUnavailable,
    e.ProtocolError, e.Timeout, e.TlsFailed,
)  # fmt: skip


def failure_lines(
    error: WebError, look: TerminalLook, more: Sequence[NextStep] = ()
) -> Iterator[str]:
    """Yield the text, the facts, and what to do next."""
    text = strip_hidden(error.message)
    yield from hanging_lines([Span(f"{look.symbols.bad} ", "bad"), Span(text)], look, hang=2)
    yield from fact_footer(_error_facts(error), look, indent=2)
    offers = [*next_step_commands(error), *more]
    advice = error.remedy_for("terminal")
    if offers or advice:
        yield ""
    if offers:
        yield from step_lines(offers, look)
    elif advice:
        yield from hanging_lines([Span(f"  {advice}")], look, hang=2)


def _error_facts(error: WebError) -> list[str]:
    status = error.status if isinstance(error, e.AuthFailed | e.HttpStatus) else None
    again = "trying again may help" if error.retryable else "trying again does not help"
    if isinstance(error, e.RateLimited) and error.retry_after is not None:
        again = f"try again in {round(error.retry_after)} s"
    return [error.kind, f"HTTP {status}" if status else "", again]


def next_step_commands(error: WebError) -> list[NextStep]:
    """Return the commands that may put a failure right."""
    match error:
        case e.AuthFailed(backend=str(name)):
            return [
                NextStep("Fix it", f"webseam setup {name}", "tries the new key before it is saved"),
                NextStep("Why", f"webseam doctor {name}"),
            ]
        case e.NotConfigured():
            return _setup_next_steps(error)
        case e.StoreFailed(problem="missing"):
            return [NextStep("Begin", "webseam index add PATH_OR_URL")]
        case e.UnsupportedCapability():
            return [NextStep("Others", "webseam backends")]
        case e.UnknownProvider() | e.ModelNotFound():
            asked = error.backend if isinstance(error, e.ModelNotFound) else None
            command = f"webseam models {asked} --live" if asked else "webseam models"
            return [NextStep("See", command)]
        case e.UrlDenied(url=str(url)):
            # A Windows drive letter looks like a scheme.
            why = NextStep("Why", f"webseam policy check {shell_quote(url)}")
            return _file_next_steps(url) or [why]
        case e.EmptyContent(reason="needs_browser", url=str(url)):
            return [NextStep("Try", f"webseam extract {shell_quote(url)} --render auto")]
        case e.InvalidUrl(url=str(url)):
            return _file_next_steps(url)
        case e.BudgetExceeded():
            return [NextStep("See", "webseam spend")]
        case e.NobodyAnswered(setting=str(setting)) if setting:
            return [NextStep("See", "webseam spend")]
        case e.NobodyAnswered():
            return [
                *_refused_key_next_steps(error),
                NextStep("Why", "webseam doctor --live", "makes one real call to each"),
            ]
        case _:
            return _unreachable_next_steps(error)


def _refused_key_next_steps(error: e.NobodyAnswered) -> list[NextStep]:
    """Return a setup step for each backend of a route that refused its key."""
    refused = (attempt for attempt in error.attempts if attempt.outcome == _REFUSED_KEY_KIND)
    names = dict.fromkeys(attempt.backend for attempt in refused)
    return [NextStep("Fix it", f"webseam setup {name}", "its key was refused") for name in names]


def _file_next_steps(text: str) -> list[NextStep]:
    step = NextStep("Try", f"webseam read {shell_quote(text)}")
    return [step] if is_regular_file(Path(text)) else []


def _unreachable_next_steps(error: WebError) -> list[NextStep]:
    if (
        not isinstance(error, _UNREACHED_ERRORS)
        or not error.backend
        or error.backend in _BUILT_IN_BACKENDS
    ):
        return []
    return [NextStep("Why", f"webseam doctor {error.backend} --live")]


def _setup_next_steps(error: e.NotConfigured) -> list[NextStep]:
    """Return the setup command; nothing for a remedy or a built-in backend."""
    if error.remedy or error.backend in _BUILT_IN_BACKENDS:
        return []
    label = "Or" if error.settings else "Fix it"
    return [NextStep(label, f"webseam setup {error.backend or ''}".rstrip())]
