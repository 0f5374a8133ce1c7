"""A failure for a person: who did what, its kind, and what can be typed next."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ....kernel.text.display import visible
from ....ports import errors as e
from ....ports.errors import WebError
from ...places import is_file
from .drawing.lines import Span, Step, facts, hanging, steps, typed
from .drawing.look import Look

_BUILT_IN = ("index", "json", "pages")
_REFUSED = str(e.AuthFailed.__struct_config__.tag)
_OUT_OF_REACH = (
    e.ConnectFailed,
    e.ConnectionLost,
    e.DeadlineExceeded,
    e.DnsNotFound,
    e.DnsUnavailable,
    e.ProtocolError,
    e.Timeout,
    e.TlsFailed,
)


def failure_lines(error: WebError, look: Look, more: Sequence[Step] = ()) -> Iterator[str]:
    """Yield the sentence, the facts, and what to do next."""
    sentence = visible(error.message)
    yield from hanging([Span(f"{look.symbols.bad} ", "bad"), Span(sentence)], look, hang=2)
    yield from facts(_facts(error), look, indent=2)
    offers = [*next_steps(error), *more]
    if offers:
        yield ""
        yield from steps(offers, look)


def kind_of(error: WebError) -> str:
    """Return the kind, as programs see it."""
    return str(type(error).__struct_config__.tag)


def _facts(error: WebError) -> list[str]:
    status = error.status if isinstance(error, e.AuthFailed | e.HttpStatus) else None
    again = "trying again may help" if error.retryable else "trying again does not help"
    if isinstance(error, e.RateLimited) and error.retry_after is not None:
        again = f"try again in {round(error.retry_after)} s"
    return [kind_of(error), f"HTTP {status}" if status else "", again]


def next_steps(error: WebError) -> list[Step]:  # noqa: C901, PLR0911  one case a kind of help
    """Return the commands that may put a failure right."""
    match error:
        case e.AuthFailed(backend=str(name)):
            return [
                Step("Fix it", f"webseam setup {name}", "tries the new key before it is saved"),
                Step("Why", f"webseam doctor {name}"),
            ]
        case e.NotConfigured():
            return _set_up(error)
        case e.StoreFailed(problem="missing"):
            return [Step("Begin", "webseam index add PATH_OR_URL")]
        case e.UnsupportedFilter() | e.UnsupportedCapability():
            return [Step("Others", "webseam backends")]
        case e.UnknownProvider() | e.ModelNotFound():
            return [_models(error)]
        case e.UrlDenied(url=str(url)):
            # A drive of Windows looks like a scheme.
            return _file(url) or [Step("Why", f"webseam policy check {typed(url)}")]
        case e.EmptyContent(reason="needs_browser", url=str(url)):
            return [Step("Try", f"webseam extract {typed(url)} --render auto")]
        case e.InvalidUrl(url=str(url)):
            return _address(url)
        case e.BudgetExceeded():
            return [Step("See", "webseam spend")]
        case e.NobodyAnswered(setting=str(setting)) if setting:
            return [Step("See", "webseam spend")]
        case e.NobodyAnswered():
            return [
                *_refused_keys(error),
                Step("Why", "webseam doctor --live", "makes one real call to each"),
            ]
        case _:
            return _tried(error)


def _refused_keys(error: e.NobodyAnswered) -> list[Step]:
    """Return how to mend the keys of those on a route who refused theirs."""
    names = dict.fromkeys(one.backend for one in error.attempts if one.outcome == _REFUSED)
    return [Step("Fix it", f"webseam setup {name}", "its key was refused") for name in names]


def _address(text: str) -> list[Step]:
    """Return how a file is read that was taken for a page, or a page without its scheme."""
    host = text.partition("/")[0]
    plain = re.fullmatch(r"[\w-]+(\.[\w-]+)+(:\d+)?", host) is not None
    return _file(text) or (
        [Step("Try", f"webseam extract {typed(f'https://{text}')}")] if plain else []
    )


def _file(text: str) -> list[Step]:
    """Return how a file is read, if it is one that was named."""
    return [Step("Try", f"webseam read {typed(text)}")] if is_file(Path(text)) else []


def _models(error: e.UnknownProvider | e.ModelNotFound) -> Step:
    known = isinstance(error, e.ModelNotFound) and error.backend
    return Step("See", f"webseam models {error.backend} --live" if known else "webseam models")


def _tried(error: WebError) -> list[Step]:
    """Return how to look at a backend that could not be reached."""
    if not isinstance(error, _OUT_OF_REACH) or not error.backend or error.backend in _BUILT_IN:
        return []
    return [Step("Why", f"webseam doctor {error.backend} --live")]


def _set_up(error: e.NotConfigured) -> list[Step]:
    """Return what sets up whoever is named; a remedy, or what is built in, says it all itself."""
    if error.remedy or error.backend in _BUILT_IN:
        return []
    label = "Or" if error.settings else "Fix it"
    return [Step(label, f"webseam setup {error.backend or ''}".rstrip())]
