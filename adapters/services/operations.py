"""How a service searches and reads pages, also as a job."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from returns.result import Result

from webseam.ports.backends import UntrustedRow
from webseam.ports.errors import HttpStatus, WebError
from webseam.ports.web import SearchAnswer, WebSearchQuery

from .calls import Access, Format, Reply, ServiceCall

if TYPE_CHECKING:
    # Commands read declarations that read no page.
    from .page_results import PagesResult

_NO_JOB_STATUSES = frozenset({404, 405, 501})
# No service needs this many calls, so a job that never ends is left here.
_MAX_JOB_CALLS = 100


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
    ``token`` has no further page when that returns an empty text. A ``counted`` one counts pages or
    rows as the call does, in pages of the requested size, so a search may begin at any of them.
    """

    size: int
    most: int
    full: bool = True
    counted: bool = False
    token: Callable[[Reply], str] | None = None


def never_empty(_reply: Reply) -> bool:
    """Return False: for services that report an empty search as a success without rows."""
    return False


class RowSurvey(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a reply's rows that were not read, and the foreign names that were, with ours."""

    unread: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}


TextForm: TypeAlias = Literal["plain", "markdown", "html"]


class SearchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service searches. ``decode`` takes any reply, invents nothing and never raises.

    ``title`` and ``snippet`` say what these texts are, as the vendor documents it: plain text and
    markdown come through ``decode`` as they are, HTML through ``html_to_text``.

    ``empty`` recognises an error reply that means that the search found nothing. ``survey`` tells
    what of a reply's rows was read, None if everything by its own name: for services whose rows are
    known only from settings.
    """

    encode: Callable[[SearchAsk], ServiceCall]
    decode: Callable[[Reply], Result[Sequence[UntrustedRow | SearchAnswer], WebError]]
    empty: Callable[[Reply], bool] = never_empty
    survey: Callable[[Reply], RowSurvey | None] | None = None
    paging: Paging | None = None
    format: Format = "json"
    title: TextForm = "plain"
    snippet: TextForm = "plain"


class ExtractAsk(msgspec.Struct, frozen=True, kw_only=True):
    """The pages to read in one call, at most ``batch`` of the operation."""

    urls: tuple[str, ...]
    access: Access = Access()


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


AskService: TypeAlias = Callable[[Callable[[Access], ServiceCall]], Awaitable[Reply | WebError]]


async def finish_job(
    job: ServiceJob,
    urls: tuple[str, ...],
    ask: AskService,
    pause: Callable[[float], Awaitable[None]],
) -> Reply | WebError:
    """Return the last reply, which holds the earlier ones, or the first error."""
    job_access = Access()

    def start_call(access: Access) -> ServiceCall:
        nonlocal job_access
        job_access = access
        return job.encode(ExtractAsk(urls=urls, access=access))

    reply = await ask(start_call)
    earlier: tuple[Reply, ...] = ()
    while isinstance(reply, Reply):
        newest = msgspec.structs.replace(reply, earlier=earlier)
        step = job.follow(ExtractAsk(urls=urls, access=job_access), newest)
        if step is None or len(earlier) + 1 >= _MAX_JOB_CALLS:
            return newest
        earlier = (*earlier, reply)
        await pause(step.wait)
        reply = await ask(_repeat_call(step.call))
    return reply


def lacks_jobs(error: WebError) -> bool:
    """Tell whether the error means that the service has no path for jobs."""
    return isinstance(error, HttpStatus) and error.status in _NO_JOB_STATUSES


def _repeat_call(call: ServiceCall) -> Callable[[Access], ServiceCall]:
    # Only the key that started a job can ask for it, so ignore a changed access.
    return lambda _access: call
