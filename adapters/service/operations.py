"""What a service does: calls and replies, and how each operation is written and read."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal, TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import (
    BadPayload,
    EmptyContent,
    HttpStatus,
    Missing,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)
from ...ports.secrets import Secret
from ...ports.web import SearchAnswer, WebSearchQuery
from ..values.field_values import at, number, said
from ..values.json_values import text

Method: TypeAlias = Literal["GET", "POST"]
Format: TypeAlias = Literal["json", "text"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Where a service is, and what it was told about its caller. Secrets never show in a repr.

    ``overridden`` is set when the user named the address: then every call goes there.
    """

    base_url: str = ""
    overridden: bool = False
    values: Mapping[str, Secret] = {}

    def value(self, name: str) -> str:
        """Return an option's value, or nothing when it is not set."""
        secret = self.values.get(name)
        return secret.reveal() if secret is not None else ""

    @property
    def key(self) -> str:
        """The API key, or nothing."""
        return self.value("api_key")


class ServiceCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP request. ``path`` stands behind the service's base URL.

    A beginning of the path that the base URL ends with is not repeated, so that both may have the
    version, and a user's address may have it or not. ``base`` is for what the service answers at
    another address of its own; an address that the user named wins over it. At most one of
    ``body``, which is sent as JSON, and ``form``.
    """

    method: Method = "POST"
    path: str = ""
    base: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | Sequence[object] | None = None
    form: tuple[tuple[str, str], ...] | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What came back. ``payload`` is any JSON value, or None; ``text`` is for what is no JSON.

    ``origin`` is where it came from: scheme, host and port. ``page`` says which page of a search it
    is, from 0, to those services to which that matters. ``earlier`` are the replies of a job before
    this one.
    """

    status: int
    payload: object = None
    text: str = ""
    page: int = 0
    headers: Mapping[str, str] = {}
    origin: str = ""
    earlier: "tuple[Reply, ...]" = ()


class SearchAsk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One page of a search: how many rows to ask for, and from where on.

    ``count`` is None when the caller set no limit: the service's own default then holds.
    ``page`` and ``offset`` count from 0, pages and rows; ``token`` is what the last page gave.
    """

    query: WebSearchQuery
    access: Access = Access()
    count: int | None = None
    page: int = 0
    offset: int = 0
    token: str = ""


class Paging(msgspec.Struct, frozen=True, kw_only=True):
    """How a service goes on: rows per page, how many pages, and the token if it gives one.

    ``full`` says that a page with fewer rows than were asked for is the last one. A service with
    ``token`` has no further page when that returns nothing.
    """

    size: int
    most: int
    full: bool = True
    token: Callable[[Reply], str] | None = None


def never_empty(_reply: Reply) -> bool:
    """Tell that a reply is not empty: for services that answer nothing found with no rows."""
    return False


class SearchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service searches. ``decode`` takes any reply, invents nothing and never raises.

    ``empty`` tells the refusals by which a service says that nothing was found.
    """

    encode: Callable[[SearchAsk], ServiceCall]
    decode: Callable[[Reply], Result[Sequence[UntrustedRow | SearchAnswer], WebError]]
    empty: Callable[[Reply], bool] = never_empty
    paging: Paging | None = None
    format: Format = "json"


class ExtractAsk(msgspec.Struct, frozen=True, kw_only=True):
    """The pages to read in one call: never more than the operation's ``batch``."""

    urls: tuple[str, ...]
    access: Access = Access()


class PageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """What a service says of one page that it could not read, in a reply that is a success."""

    url: str
    error: WebError


PagesOutcome: TypeAlias = Result[Sequence[UntrustedRow | PageFailed], WebError]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The next call of a job, and how many seconds to wait before it."""

    call: ServiceCall
    wait: float = 0.0


class ServiceJob(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads many pages as one job, which it is asked after until it is done.

    ``follow`` is shown the newest reply, which knows the earlier ones, and returns None when they
    are the answer. ``batch`` is how many pages one job has at most.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    follow: Callable[[ExtractAsk, Reply], Step | None]
    decode: Callable[[Reply, tuple[str, ...]], PagesOutcome]
    batch: int


class ExtractOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads pages. ``decode`` is also told which ones were asked for.

    Each document says its ``url`` as it was asked for; pages are matched by that, never by place.
    A service that only knows pages of its own tells them by ``reads``. Several pages are a ``job``
    where there are jobs, and a key for them.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    decode: Callable[[Reply, tuple[str, ...]], PagesOutcome]
    batch: int = 1
    format: Format = "json"
    reads: Callable[[str], bool] | None = None
    job: ServiceJob | None = None

    @property
    def at_once(self) -> int:
        """How many pages it reads at once, as a job if it has jobs."""
        return self.batch if self.job is None else self.job.batch


# Pages that a service could not read, as it tells of them inside a success.

_TIMEOUT_STATUSES = frozenset({408, 504})
_TOO_MANY_REQUESTS = 429
_FIRST_SERVER_ERROR = 500
_ERROR_STATUSES = range(400, 1000)


def page_failed(url: object, *, status: object = None, detail: object = "") -> PageFailed:
    """Say why a page is missing, by the status that its own server gave where that is known.

    >>> page_failed("https://a.example/", status=404).error.kind
    'http_status'
    """
    return PageFailed(url=text(url), error=page_error(status, text(detail)))


def page_error(status: object, detail: str = "") -> WebError:
    """Return the error that a page's own status stands for; without one, what the service said."""
    code = int(number(status) or 0)
    if code not in _ERROR_STATUSES:
        return BadPayload(problem="error_object", detail=detail)
    if code in _TIMEOUT_STATUSES:
        return Timeout(phase="body")
    if code == _TOO_MANY_REQUESTS:
        return RateLimited(detail=detail)
    if code >= _FIRST_SERVER_ERROR:
        return UpstreamUnavailable(status=code, detail=detail)
    return HttpStatus(status=code, detail=detail)


def require_text(page: Mapping[str, object]) -> Mapping[str, object] | PageFailed:
    """Return a document, or say that there is nothing in it: an empty page is no page."""
    content = page.get("content")
    blank = content is None or (isinstance(content, str) and not content.strip())
    return PageFailed(url=text(page.get("url")), error=EmptyContent()) if blank else page


# Many pages at once: a job asked after to its end, and pages matched to URLs by name.

AskService: TypeAlias = Callable[
    [Callable[[Access], ServiceCall]], Awaitable[Result[Reply, WebError]]
]
_NO_JOB_STATUSES = frozenset({404, 405, 501})
# What no service needs to be done, so that one that never ends is left.
_MAX_JOB_CALLS = 100


async def finish_job(
    job: ServiceJob,
    urls: tuple[str, ...],
    ask: AskService,
    pause: Callable[[float], Awaitable[None]],
) -> Result[Reply, WebError]:
    """Return the last reply, which knows the earlier ones, or what went wrong on the way."""
    whose = Access()

    def first(access: Access) -> ServiceCall:
        nonlocal whose
        whose = access
        return job.encode(ExtractAsk(urls=urls, access=access))

    reply = await ask(first)
    earlier: tuple[Reply, ...] = ()
    while isinstance(reply, Success):
        newest = msgspec.structs.replace(reply.unwrap(), earlier=earlier)
        step = job.follow(ExtractAsk(urls=urls, access=whose), newest)
        if step is None or len(earlier) + 1 >= _MAX_JOB_CALLS:
            return Success(newest)
        earlier = (*earlier, reply.unwrap())
        await pause(step.wait)
        reply = await ask(_always_same_call(step.call))
    return reply


def lacks_jobs(error: WebError) -> bool:
    """Tell whether a service has no such jobs: its address for them does not exist."""
    return isinstance(error, HttpStatus) and error.status in _NO_JOB_STATUSES


def _always_same_call(call: ServiceCall) -> Callable[[Access], ServiceCall]:
    # A job is known to the key that it was handed over with, and to no other.
    return lambda _access: call


def match_pages(
    pages: Sequence[UntrustedRow | PageFailed],
    urls: Sequence[str],
    canonical: Callable[[str], str],
) -> tuple[Result[UntrustedRow, WebError], ...]:
    """Return one outcome for each URL; one that the service forgot is ``Missing``.

    When one page was asked for and one came, it is handed on whatever it calls itself: the kernel
    says what is wrong with it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    named: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _page_url(page)
        if isinstance(url, str):
            named.setdefault(canonical(url), page)
    return tuple(_page_outcome(named.get(canonical(url)), url) for url in urls)


def _page_outcome(
    page: UntrustedRow | PageFailed | None, url: str
) -> Result[UntrustedRow, WebError]:
    if page is None:
        return Failure(Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # As it was asked for: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _page_url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None


# Lists in a service's reply, and a row for each thing in them.


def list_at(
    reply: Reply, *path: str, signs: Sequence[str] = ()
) -> Result[list[object], BadPayload]:
    """Return the list at ``path``. In an answer that has one of ``signs``, an absent one is empty.

    They are the names by which an answer is known, so that an error is not taken for nothing found.

    >>> list_at(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> list_at(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(value)
    if value is None and isinstance(reply.payload, dict) and _has_answer_sign(reply.payload, signs):
        return Success([])
    where, detail = ".".join(("$", *path)), said(reply.payload)
    return Failure(BadPayload(problem="shape", path=where, status=reply.status, detail=detail))


def _has_answer_sign(payload: dict[str, object], signs: Sequence[str]) -> bool:
    empty = not payload and bool(signs)
    return empty or (not payload.get("error") and any(sign in payload for sign in signs))


def each(
    rows: Sequence[object], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; what is no object is left for the kernel to refuse."""
    return [make(row) if isinstance(row, dict) else cast("UntrustedRow", row) for row in rows]
