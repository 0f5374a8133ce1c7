"""A failure for a person: who did what, its kind, and what can be typed next."""

from collections.abc import Iterator, Sequence

from ....kernel.text.display import visible
from ....ports.errors import (
    AuthFailed,
    EmptyContent,
    HttpStatus,
    InvalidUrl,
    NotConfigured,
    RateLimited,
    UrlDenied,
    WebError,
)
from .lines import Span, Step, facts, hanging, steps, typed
from .look import Look

_BUILT_IN = ("index", "json", "pages")


def failure_lines(error: WebError, look: Look, more: Sequence[Step] = ()) -> Iterator[str]:
    """Yield the sentence, the facts, and what to do next."""
    sentence = visible(error.message)
    yield from hanging([Span(f"{look.symbols.bad} ", "bad"), Span(sentence)], look, hang=2)
    for line in facts(_facts(error), look):
        yield f"  {line}"
    offers = [*next_steps(error), *more]
    if offers:
        yield ""
        yield from steps(offers, look)


def kind_of(error: WebError) -> str:
    """Return the kind, as programs see it."""
    return str(type(error).__struct_config__.tag)


def _facts(error: WebError) -> list[str]:
    status = error.status if isinstance(error, AuthFailed | HttpStatus) else None
    again = "trying again may help" if error.retryable else "trying again does not help"
    if isinstance(error, RateLimited) and error.retry_after is not None:
        again = f"try again in {round(error.retry_after)} s"
    return [kind_of(error), f"HTTP {status}" if status else "", again]


def next_steps(error: WebError) -> list[Step]:
    """Return the commands that may put a failure right."""
    match error:
        case AuthFailed(backend=str(name)):
            return [
                Step("Fix it", f"webseam setup {name}", "tries the new key before it is saved"),
                Step("Why", f"webseam doctor {name}"),
            ]
        case NotConfigured():
            return _set_up(error)
        case UrlDenied(url=str(url)):
            return [Step("Why", f"webseam policy check {typed(url)}")]
        case EmptyContent(reason="needs_browser", url=str(url)):
            return [Step("Try", f"webseam extract {typed(url)} --render auto")]
        case InvalidUrl():
            return [Step("Like", "webseam extract https://example.com/")]
        case _:
            return []


def _set_up(error: NotConfigured) -> list[Step]:
    """Return what sets up whoever is named; a remedy, or what is built in, says it all itself."""
    if error.remedy or error.backend in _BUILT_IN:
        return []
    return [Step("Set up", f"webseam setup {error.backend or ''}".rstrip())]
