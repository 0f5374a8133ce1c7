"""Calls and replies of a service, and how each operation encodes and decodes them."""

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
    """The address of a service and the option values of a caller. No repr shows a secret.

    ``overridden`` means that the user set the address: then every call goes there.
    """

    base_url: str = ""
    overridden: bool = False
    values: Mapping[str, Secret] = {}

    def value(self, name: str) -> str:
        """Return an option's value; an empty text when it is not set."""
        secret = self.values.get(name)
        return secret.reveal() if secret is not None else ""

    @property
    def key(self) -> str:
        """The API key, or an empty text."""
        return self.value("api_key")


class ServiceCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP request. ``path`` is appended to the service's base URL.

    A start of the path that the base URL already ends with is not repeated, so a user's address
    may have the API version or not. ``base`` replaces the base URL for calls that go to another
    host of the service, unless the user set an address. Set at most one of ``body``, which is sent
    as JSON, and ``form``.
    """

    method: Method = "POST"
    path: str = ""
    base: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | Sequence[object] | None = None
    form: tuple[tuple[str, str], ...] | None = None


def service_get(
    path: str, parameters: Mapping[str, str], headers: tuple[tuple[str, str], ...] = ()
) -> ServiceCall:
    """Return a GET call with the parameters that have a value."""
    pairs = tuple((name, value) for name, value in parameters.items() if value)
    return ServiceCall(method="GET", path=path, parameters=pairs, headers=headers)


def service_post(
    path: str, fields: Mapping[str, object], headers: tuple[tuple[str, str], ...]
) -> ServiceCall:
    """Return a POST call with the fields that have a value as its JSON body."""
    return ServiceCall(path=path, headers=headers, body=filled_fields(fields))


def filled_fields(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def service_bearer_headers(access: Access) -> tuple[tuple[str, str], ...]:
    """Return the header with the key as a bearer token.

    Without a key there is no header: Firecrawl, for example, refuses an empty one.
    """
    return (("authorization", f"Bearer {access.key}"),) if access.key else ()


def service_key_headers(access: Access) -> tuple[tuple[str, str], ...]:
    """Return the header ``X-API-Key``."""
    return (("x-api-key", access.key),)


class Reply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A reply. ``payload`` is any JSON value, or None; ``text`` is the body if it is not JSON.

    ``origin`` is the scheme, host and port of the server. ``page`` is the number of the search
    page, from 0. ``earlier`` are the previous replies of a job.
    """

    status: int
    payload: object = None
    text: str = ""
    page: int = 0
    headers: Mapping[str, str] = {}
    origin: str = ""
    earlier: "tuple[Reply, ...]" = ()


class SearchAsk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The request for one page of a search.

    ``count`` is None when the caller set no limit: then the service's default applies. ``page``
    counts pages and ``offset`` rows, both from 0. ``token`` is the token of the previous page.
    """

    query: WebSearchQuery
    access: Access = Access()
    count: int | None = None
    page: int = 0
    offset: int = 0
    token: str = ""


class Paging(msgspec.Struct, frozen=True, kw_only=True):
    """How a service pages: rows per page, at most ``most`` pages, and the reader of its token.

    ``full`` means that a page with fewer rows than requested is the last one. A service with
    ``token`` has no further page when that returns an empty text.
    """

    size: int
    most: int
    full: bool = True
    token: Callable[[Reply], str] | None = None


def never_empty(_reply: Reply) -> bool:
    """Return False: for services that report an empty search as a success without rows."""
    return False


class SearchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service searches. ``decode`` takes any reply, invents nothing and never raises.

    ``empty`` recognises an error reply that means that the search found nothing.
    """

    encode: Callable[[SearchAsk], ServiceCall]
    decode: Callable[[Reply], Result[Sequence[UntrustedRow | SearchAnswer], WebError]]
    empty: Callable[[Reply], bool] = never_empty
    paging: Paging | None = None
    format: Format = "json"


class ExtractAsk(msgspec.Struct, frozen=True, kw_only=True):
    """The pages to read in one call, at most ``batch`` of the operation."""

    urls: tuple[str, ...]
    access: Access = Access()


class PageFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The error of one page that a service could not read, inside a successful reply."""

    url: str
    error: WebError


RowsResult: TypeAlias = Result[Sequence[UntrustedRow], WebError]
PagesResult: TypeAlias = Result[Sequence[UntrustedRow | PageFailed], WebError]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """The next call of a job, and how many seconds to wait before it."""

    call: ServiceCall
    wait: float = 0.0


class ServiceJob(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads many pages as one job, which is polled until it ends.

    ``follow`` gets the newest reply, which holds the earlier ones, and returns the next call, or
    None when the job is complete. A job has at most ``batch`` pages.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    follow: Callable[[ExtractAsk, Reply], Step | None]
    decode: Callable[[Reply, tuple[str, ...]], PagesResult]
    batch: int


class ExtractOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads pages. ``decode`` also gets the requested URLs.

    Each document has the requested ``url``; pages are matched by it, never by their order.
    ``reads`` recognises the pages of a service that only reads its own. Several pages are read as
    a ``job`` if the service has jobs and the caller a key.
    """

    encode: Callable[[ExtractAsk], ServiceCall]
    decode: Callable[[Reply, tuple[str, ...]], PagesResult]
    batch: int = 1
    format: Format = "json"
    reads: Callable[[str], bool] | None = None
    job: ServiceJob | None = None

    @property
    def at_once(self) -> int:
        """The number of pages per call, or per job if the service has jobs."""
        return self.batch if self.job is None else self.job.batch


_TIMEOUT_STATUSES = frozenset({408, 504})
_TOO_MANY_REQUESTS = 429
_FIRST_SERVER_ERROR = 500
_ERROR_STATUSES = range(400, 1000)


def page_failed(url: object, *, status: object = None, detail: object = "") -> PageFailed:
    """Return why a page is missing, from the status of the page's own server if it is known.

    >>> page_failed("https://a.example/", status=404).error.kind
    'http_status'
    """
    return PageFailed(url=text(url), error=service_page_error(status, text(detail)))


def service_page_error(status: object, detail: str = "") -> WebError:
    """Return the error for a page's HTTP status; without a status, a ``BadPayload``."""
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
    """Return a document; a ``PageFailed`` if it has no content."""
    content = page.get("content")
    is_blank = content is None or (isinstance(content, str) and not content.strip())
    return PageFailed(url=text(page.get("url")), error=EmptyContent()) if is_blank else page


AskService: TypeAlias = Callable[
    [Callable[[Access], ServiceCall]], Awaitable[Result[Reply, WebError]]
]
_NO_JOB_STATUSES = frozenset({404, 405, 501})
# No service needs this many calls, so a job that never ends is left here.
_MAX_JOB_CALLS = 100


async def finish_service_job(
    job: ServiceJob,
    urls: tuple[str, ...],
    ask: AskService,
    pause: Callable[[float], Awaitable[None]],
) -> Result[Reply, WebError]:
    """Return the last reply, which holds the earlier ones, or the first error."""
    job_access = Access()

    def start_call(access: Access) -> ServiceCall:
        nonlocal job_access
        job_access = access
        return job.encode(ExtractAsk(urls=urls, access=access))

    reply = await ask(start_call)
    earlier: tuple[Reply, ...] = ()
    while isinstance(reply, Success):
        newest = msgspec.structs.replace(reply.unwrap(), earlier=earlier)
        step = job.follow(ExtractAsk(urls=urls, access=job_access), newest)
        if step is None or len(earlier) + 1 >= _MAX_JOB_CALLS:
            return Success(newest)
        earlier = (*earlier, reply.unwrap())
        await pause(step.wait)
        reply = await ask(_repeat_service_call(step.call))
    return reply


def service_lacks_jobs(error: WebError) -> bool:
    """Tell whether the error means that the service has no path for jobs."""
    return isinstance(error, HttpStatus) and error.status in _NO_JOB_STATUSES


def _repeat_service_call(call: ServiceCall) -> Callable[[Access], ServiceCall]:
    # Only the key that started a job can ask for it, so ignore a changed access.
    return lambda _access: call


def match_service_pages(
    pages: Sequence[UntrustedRow | PageFailed], urls: Sequence[str], canonical: Callable[[str], str]
) -> tuple[Result[UntrustedRow, WebError], ...]:
    """Return one outcome for each URL; a URL without a page is ``Missing``.

    A single page for a single URL is returned whatever its own URL is: the kernel checks it.
    """
    if len(urls) == 1 and len(pages) == 1 and not isinstance(pages[0], PageFailed):
        return (Success(pages[0]),)
    pages_by_url: dict[str, UntrustedRow | PageFailed] = {}
    for page in pages:
        url = _service_page_url(page)
        if isinstance(url, str):
            pages_by_url.setdefault(canonical(url), page)
    return tuple(_service_page_outcome(pages_by_url.get(canonical(url)), url) for url in urls)


def _service_page_outcome(
    page: UntrustedRow | PageFailed | None, url: str
) -> Result[UntrustedRow, WebError]:
    if page is None:
        return Failure(Missing(url=url))
    if isinstance(page, PageFailed):
        return Failure(page.error)
    # Keep the requested URL: the service may spell the same address in another way.
    return Success({**cast("Mapping[str, object]", page), "url": url})


def _service_page_url(page: object) -> object:
    if isinstance(page, PageFailed):
        return page.url
    return page.get("url") if isinstance(page, Mapping) else None


def list_at(
    reply: Reply, *path: str, signs: Sequence[str] = ()
) -> Result[list[object], BadPayload]:
    """Return the list at ``path``; an absent list is empty if the payload has one of ``signs``.

    The signs are field names of a real answer, so that an error is not taken for an empty search.

    >>> list_at(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> list_at(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(value)
    if value is None and isinstance(reply.payload, dict) and _has_reply_sign(reply.payload, signs):
        return Success([])
    json_path, detail = ".".join(("$", *path)), said(reply.payload)
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status, detail=detail))


def object_at(reply: Reply, *path: str) -> Result[dict[str, object], BadPayload]:
    """Return the object at ``path``, or the error of a reply without it."""
    value = at(reply.payload, *path)
    if isinstance(value, dict):
        return Success(value)
    json_path = ".".join(("$", *path))
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status))


def _has_reply_sign(payload: dict[str, object], signs: Sequence[str]) -> bool:
    is_empty = not payload and bool(signs)
    return is_empty or (not payload.get("error") and any(sign in payload for sign in signs))


def web_and_news_rows(
    reply: Reply, section: str, *, make: Callable[[dict[str, object]], UntrustedRow]
) -> RowsResult:
    """Return the rows of the lists ``web`` and ``news`` in a section; either may be absent."""
    web = list_at(reply, section, "web", signs=(section,))
    news = list_at(reply, section, "news", signs=(section,))
    rows = web.bind(lambda web_rows: news.map(lambda news_rows: [*web_rows, *news_rows]))
    return object_at(reply, section).bind(lambda _: rows.map(lambda both: each(both, make)))


def each(
    rows: Sequence[object], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; other values stay for the kernel to refuse."""
    return [make(row) if isinstance(row, dict) else cast("UntrustedRow", row) for row in rows]


def rows_at(
    reply: Reply,
    *path: str,
    make: Callable[[dict[str, object]], UntrustedRow],
    signs: Sequence[str] = (),
) -> RowsResult:
    """Return a row for every object of the list at ``path``; see ``list_at``."""
    listed = list_at(reply, *path, signs=signs)
    if not isinstance(listed, Success):
        return Failure(listed.failure())
    return Success(each(listed.unwrap(), make))
