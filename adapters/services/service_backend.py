"""A backend made of a service declaration and a transport."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import (
    NATIVE,
    Abilities,
    BackendAbout,
    CountRows,
    FilterName,
    Served,
    Support,
    UntrustedRow,
)
from webseam.ports.errors import (
    AuthFailed,
    DeadlineExceeded,
    InvalidUrl,
    NotConfigured,
    QuotaExhausted,
    RateLimited,
    UnsupportedCapability,
    WebError,
)
from webseam.ports.web import DEFAULT_PAGE_ROWS, SearchAnswer, WebSearchQuery

from ..http.deadlines import Deadlines
from ..values.row_dates import settle_row_dates
from . import operations
from .calls import Access, Format, Reply, ServiceCall
from .declaration import Capability, Service, find_no_cost, resolve_access
from .page_results import match_pages
from .sender import Sender, ServiceDeps, ServiceLimits

Row = UntrustedRow | SearchAnswer
_CUT_OFF_WARNING = "rows break a filter, and no further ones were asked for: there may be more"
# Another key may help against these errors.
_KEY_ERRORS = (AuthFailed, QuotaExhausted, RateLimited)
# A call asks with so many keys at most.
MAX_KEY_TRIES = 3


class SearchPages:
    """The pages of one search; only one without a limit or without paging.

    ``count_rows`` tells how many of the rows are worth showing. ``widest`` is how many rows a
    service without paging gives at the same price.
    """

    __slots__ = (
        "_asked_pages", "_failure", "_is_cut_off", "_is_single", "_max_rows", "_paging",
        "_repeated_rows", "_widest", "count_rows", "date_warnings", "next_ask", "renamed", "rows",
        "unread",
    )  # fmt: skip

    def __init__(
        self,
        operation: operations.SearchOperation,
        query: WebSearchQuery,
        count_rows: CountRows = len,
        widest: int | None = None,
    ) -> None:
        paging = operation.paging
        max_rows = query.max_results
        self.rows: list[Row] = []
        self._asked_pages = 0
        self._failure: WebError | None = None
        self._paging = paging
        self._max_rows = max_rows
        self._repeated_rows = 0
        self.count_rows, self._widest = count_rows, widest
        self._is_cut_off = False
        # What a described service sent and nobody reads, and the foreign names that were read.
        self.date_warnings: list[str] = []
        self.unread: dict[str, None] = {}
        self.renamed: dict[str, str] = {}
        # Keep the count on every page: services compute page offsets from it.
        count = max_rows if paging is None or max_rows is None else min(max_rows, paging.size)
        # The next page to ask for; None when there are enough rows, or no more.
        index = (query.page or 1) - 1
        self._is_single = query.page is not None
        self.next_ask: operations.SearchAsk | None = operations.SearchAsk(
            query=query, count=count, page=index, offset=index * (count or 0)
        )

    def add_page(self, reply: Reply, rows: Sequence[Row]) -> None:
        """Add a page's rows, and decide whether to ask for another page."""
        ask = self.next_ask
        self._asked_pages += 1
        new = rows if not self.rows else self._new_rows(rows)
        if self._paging is not None:
            self._repeated_rows += len(rows) - len(new)
        self.rows.extend(new)
        self.next_ask = (
            None if ask is None else self._make_next_ask(ask, reply, len(rows), len(new))
        )

    def add_survey(self, survey: operations.RowSurvey) -> None:
        """Add what was read of a page and what was not."""
        self.unread |= dict.fromkeys(survey.unread)
        self.renamed |= survey.renamed

    def keeps_rows(self, error: WebError) -> bool:
        """End the search with an error; return whether earlier pages have rows to keep.

        They are paid for, so they come back with a warning instead of the error.
        """
        self.next_ask = None
        self._failure = error
        return bool(self.rows)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the pages, for the receipt."""
        warnings: list[str] = []
        if self._repeated_rows:
            repeated = f"{self._repeated_rows} rows came again on a later page and were left out"
            warnings.append(repeated)
        if self._is_cut_off:
            warnings.append(_CUT_OFF_WARNING)
        if self._failure is not None:
            page = self._asked_pages + 1
            warnings.append(f"page {page} is missing, and what follows: {self._failure.message}")
        return tuple(warnings)

    def _make_next_ask(
        self, ask: operations.SearchAsk, reply: Reply, row_count: int, new_count: int
    ) -> operations.SearchAsk | None:
        paging, max_rows = self._paging, self._max_rows
        # What follows a page that was asked for is the next one, not a part of it.
        if self._is_single or max_rows is None or self.count_rows(self.rows) >= max_rows:
            return None
        if paging is None:
            return self._widen_ask(ask, row_count)
        is_short = paging.full and row_count < (ask.count or 0)
        if new_count == 0 or is_short:
            return None
        if ask.page + 1 >= paging.most:
            # Of smaller pages, so many are not all that the service has.
            self._is_cut_off = len(self.rows) >= max_rows and (ask.count or 0) < paging.size
            return None
        token = paging.token(reply) if paging.token else ""
        if paging.token and not token:
            return None
        page = ask.page + 1
        offset = page * (ask.count or 0) if paging.full else len(self.rows)
        return msgspec.structs.replace(ask, page=page, offset=offset, token=token)

    def _widen_ask(self, ask: operations.SearchAsk, row_count: int) -> operations.SearchAsk | None:
        """Return a call for all rows of a service without pages; None if those are here."""
        is_full = ask.count is not None and row_count >= ask.count
        if not is_full or len(self.rows) < (self._max_rows or 0):
            return None
        if self._widest is None or self._widest <= (ask.count or 0):
            self._is_cut_off = self._widest is None
            return None
        return msgspec.structs.replace(ask, count=self._widest)

    def _new_rows(self, rows: Sequence[Row]) -> list[Row]:
        earlier_urls = {_search_row_url(row) for row in self.rows} - {None}
        return [row for row in rows if _search_row_url(row) not in earlier_urls]


def _search_row_url(row: object) -> object:
    url = row.get("url") if isinstance(row, dict) else None
    return url if isinstance(url, str) else None


ReplyOutcome = TypeVar("ReplyOutcome")
PageOutcome: TypeAlias = Result[UntrustedRow, WebError]
RowsOutcome: TypeAlias = Sequence[UntrustedRow] | Served
SearchOutcome: TypeAlias = Result[Sequence[UntrustedRow], WebError] | Result[Served, WebError]
Ask = TypeVar("Ask", bound=msgspec.Struct)


class ServiceBackend:
    """A ``WebBackend`` over one service. Nothing it returns holds a key.

    With several ``accesses``, the backend switches to the next one when the service refuses a key
    or limits it.
    """

    def __init__(
        self,
        service: Service,
        accesses: Sequence[Access],
        deps: ServiceDeps,
        limits: ServiceLimits | None = None,
    ) -> None:
        has_key = all(access.key for access in accesses)
        self._job = service.extract.job if service.extract is not None and has_key else None
        self.about = _backend_about(service, self._job)
        self._service = service
        self._accesses = tuple(resolve_access(access, service) for access in accesses)
        self._redact_keys = deps.key_masker(_secrets(service, self._accesses))
        self._access_index = 0
        self._deps = deps
        self._limits = limits or ServiceLimits()
        self._deadlines = Deadlines(self._limits.seconds)
        price = service.offer.price
        cost = find_no_cost if price is None else price.cost
        # How many rows one call may ask for; None where each row costs.
        costs_by_row = price is not None and price.more > 0
        self._widest = None if costs_by_row else service.abilities.max_results
        self._told: set[str] = set()
        self._sender = Sender(service.classify, deps, self._limits, cost)

    def search(self, query: WebSearchQuery, /) -> Coroutine[Any, Any, SearchOutcome]:
        """Search page by page up to the requested number of rows. No rows is a success."""
        return self.search_until(query, len)

    async def search_until(self, query: WebSearchQuery, count_rows: CountRows, /) -> SearchOutcome:
        """Search until ``max_results`` rows count, or the service has no more."""
        operation = self._service.search
        if operation is None:
            return Failure(self._unsupported_error("search"))
        lacking = self._find_missing_option("search")
        if lacking is not None:
            return Failure(lacking)
        pages = SearchPages(operation, query, count_rows, self._widest)
        retry_warnings: list[str] = []
        try:
            with self._deadlines.limit_call():
                outcome = await self._search_pages(operation, pages, retry_warnings)
        except TimeoutError:
            error = DeadlineExceeded(deadline=self._limits.seconds)
            outcome = self._end_service_pages(pages, retry_warnings, error)
        if not isinstance(outcome, Success):
            return Failure(self._label_and_redact_error(outcome.failure()))
        redacted = self._redact_keys(outcome.unwrap())
        return outcome if redacted is outcome.unwrap() else Success(redacted)

    async def extract(self, url: str, /) -> PageOutcome:
        """Read one page through the service."""
        pages = await self.extract_many((url,))
        return pages[0]

    async def extract_many(self, urls: Sequence[str], /) -> tuple[PageOutcome, ...]:
        """Read pages in batches through the service; return one outcome for each URL."""
        operation = self._service.extract
        if operation is None:
            return tuple(Failure(self._unsupported_error("extract")) for _ in urls)
        lacking = self._find_missing_option("extract")
        if lacking is not None:
            return tuple(Failure(lacking) for _ in urls)
        own_urls = tuple(url for url in urls if operation.reads is None or operation.reads(url))
        pages: dict[str, PageOutcome] = {}
        for start in range(0, len(own_urls), self.about.batch):
            pages |= await self._read_pages(operation, own_urls[start : start + self.about.batch])
        reason = "it is not one of the pages that this backend knows"
        outcomes = (pages.get(url, Failure(InvalidUrl(reason=reason, url=url))) for url in urls)
        return tuple(
            outcome.map(self._redact_keys).alt(self._label_and_redact_error) for outcome in outcomes
        )

    async def aclose(self) -> None:
        """Close the idle connections."""
        await self._deps.transport.aclose()

    async def _search_pages(
        self,
        operation: operations.SearchOperation,
        pages: SearchPages,
        retry_warnings: list[str],
    ) -> Result[RowsOutcome, WebError]:
        # Rows of a service without pages, of which none will be left out, are the answer.
        is_one_reply = operation.paging is None and pages.count_rows is len
        while (ask := pages.next_ask) is not None:
            encode = _bind_access(operation.encode, ask)
            sent = self._send_with_retries(
                encode, operation.format, retry_warnings, operation.empty
            )
            reply = await (self._within_seconds_left(sent) if pages.rows else sent)
            if not isinstance(reply, Reply):
                return self._end_service_pages(pages, retry_warnings, reply)
            decoded = _decode_rows(operation, ask, reply)
            if not isinstance(decoded, Success):
                return self._end_service_pages(pages, retry_warnings, decoded.failure())
            rows = decoded.unwrap()
            date_warnings = settle_row_dates(rows, self._deps.now)
            survey = None if operation.survey is None else operation.survey(reply)
            if is_one_reply and not (retry_warnings or date_warnings or survey):
                return decoded
            pages.date_warnings += date_warnings
            pages.add_page(reply, rows)
            if survey is not None:
                pages.add_survey(survey)
        return self._end_service_pages(pages, retry_warnings, None)

    async def _within_seconds_left(self, sent: Awaitable[Reply | WebError]) -> Reply | WebError:
        """Await a later page, but not until the call is cancelled: its rows would be lost."""
        seconds = self._deps.seconds_left()
        try:
            async with asyncio.timeout(seconds):
                return await sent
        except TimeoutError:
            return DeadlineExceeded(deadline=seconds or 0.0)

    def _end_service_pages(
        self, pages: SearchPages, retry_warnings: Sequence[str], error: WebError | None
    ) -> Result[RowsOutcome, WebError]:
        """Return the rows of a search; after an error, those of the pages that came before it."""
        if error is not None and not pages.keeps_rows(self._label_and_redact_error(error)):
            return Failure(error)
        renamed = self._explain_renamed(pages.renamed)
        warnings = (*retry_warnings, *pages.warnings, *pages.date_warnings, *renamed)
        if not warnings and not pages.unread:
            return Success(pages.rows)
        return Success(Served(answer=pages.rows, warnings=warnings, unread=tuple(pages.unread)))

    def _explain_renamed(self, renamed: Mapping[str, str]) -> tuple[str, ...]:
        """Return which foreign names were taken for ours, on their first use."""
        new = {name: field for name, field in renamed.items() if name not in self._told}
        self._told |= new.keys()
        if not new:
            return ()
        taken = ", ".join(f"`{name}` as `{field}`" for name, field in new.items())
        return (f"{self._service.name} has other names: webseam reads {taken}",)

    async def _read_pages(
        self, operation: operations.ExtractOperation, urls: tuple[str, ...]
    ) -> dict[str, PageOutcome]:
        pages: dict[str, PageOutcome] = {}
        if self._job is not None and len(urls) > 1:
            outcome = await self._await_in_time(self._run_job(self._job, urls))
            if not (isinstance(outcome, Failure) and operations.lacks_jobs(outcome.failure())):
                return _outcomes_by_url(urls, outcome)
            self._job = None
        for start in range(0, len(urls), operation.batch):
            batch = urls[start : start + operation.batch]
            pages |= _outcomes_by_url(
                batch,
                await self._await_in_time(self._extract_batch(operation, batch)),
            )
        return pages

    async def _run_job(
        self, job: operations.ServiceJob, urls: tuple[str, ...]
    ) -> Result[tuple[PageOutcome, ...], WebError]:
        reply = await operations.finish_job(
            job,
            urls,
            lambda encode: self._send_with_retries(encode, "json", []),
            self._deps.pause,
        )
        decoded = job.decode(reply, urls) if isinstance(reply, Reply) else Failure(reply)
        return decoded.map(lambda pages: match_pages(pages, urls, self._deps.canonical))

    async def _extract_batch(
        self, operation: operations.ExtractOperation, urls: tuple[str, ...]
    ) -> Result[tuple[PageOutcome, ...], WebError]:
        encode = _bind_access(operation.encode, operations.ExtractAsk(urls=urls))
        reply = await self._send_with_retries(encode, operation.format, [])
        decoded = operation.decode(reply, urls) if isinstance(reply, Reply) else Failure(reply)
        return decoded.map(lambda pages: match_pages(pages, urls, self._deps.canonical))

    async def _await_in_time(
        self, work: Awaitable[Result[ReplyOutcome, WebError]]
    ) -> Result[ReplyOutcome, WebError]:
        try:
            with self._deadlines.limit_call():
                return await work
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self._limits.seconds))

    async def _send_with_retries(
        self,
        encode: Callable[[Access], ServiceCall],
        reply_format: Format,
        warnings: list[str],
        is_accepted: Callable[[Reply], bool] = operations.never_empty,
    ) -> Reply | WebError:
        """Send a call, and retry while that may help, with the next key if there is one."""
        # Keys do not multiply attempts: a call has as many with several keys as with one.
        attempt, keys_left = 1, min(len(self._accesses), MAX_KEY_TRIES) - 1
        while True:
            access = self._accesses[self._access_index]
            reply = await self._sender.send(encode(access), access, reply_format, is_accepted)
            if isinstance(reply, Reply):
                return reply
            if keys_left and isinstance(reply, _KEY_ERRORS):
                keys_left -= 1
                self._access_index = (self._access_index + 1) % len(self._accesses)
                wait: float | None = 0.0
            else:
                wait = self._deps.retry(reply, attempt)
            attempt += 1
            if wait is None:
                return reply
            warnings.append(f"tried again after: {self._label_and_redact_error(reply).message}")
            await self._deps.pause(wait)

    def _label_and_redact_error(self, error: WebError) -> WebError:
        """Set the backend's name on an error, and redact secrets in its texts."""
        secrets = _secrets(self._service, self._accesses)
        redacted = {
            name: self._deps.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str)
        }
        return msgspec.structs.replace(error, **{**redacted, "backend": self._service.name})

    def _unsupported_error(self, capability: str) -> UnsupportedCapability:
        return UnsupportedCapability(capability=capability, backend=self._service.name)

    def _find_missing_option(self, capability: Capability) -> NotConfigured | None:
        """Return the error for a missing required option; None if the operation can run."""
        service, access = self._service, self._accesses[self._access_index]
        if capability in service.offer.keyless:
            return None
        for option in service.options:
            if option.required and not access.value(option.name):
                return service.missing_option_error(option)
        return None


def _secrets(service: Service, accesses: Sequence[Access]) -> tuple[str, ...]:
    values = (access.value(name) for access in accesses for name in service.secret_options())
    return tuple(value for value in values if value)


def _backend_about(service: Service, job: operations.ServiceJob | None) -> BackendAbout:
    operation = job or service.extract
    batch = operation.batch if operation is not None else 1
    abilities = page_abilities(service)
    return BackendAbout(name=service.name, abilities=abilities, batch=batch)


def page_abilities(service: Service) -> Abilities:
    """Return the abilities of a service, with the pages at which one of its searches may begin."""
    paging = None if service.search is None else service.search.paging
    if paging is None or not paging.counted:
        return service.abilities
    declared = service.abilities.depending

    def depending(query: WebSearchQuery) -> Mapping[FilterName, Support]:
        supports = {} if declared is None else dict(declared(query))
        if _begins_at_page(query, paging):
            supports["page"] = NATIVE
        return supports

    return msgspec.structs.replace(service.abilities, depending=depending)


def _begins_at_page(query: WebSearchQuery, paging: operations.Paging) -> bool:
    """Tell whether a search may begin at its page: no row of an earlier one is left out.

    Images have one page at some services.
    """
    has_domains = bool(query.include_domains or query.exclude_domains)
    has_dates = query.published_after is not None or query.published_before is not None
    if query.page is None or has_domains or has_dates or query.topic == "images":
        return False
    rows = query.max_results or DEFAULT_PAGE_ROWS
    return query.page <= paging.most and rows <= paging.size


def _outcomes_by_url(
    urls: tuple[str, ...], outcome: Result[tuple[PageOutcome, ...], WebError]
) -> dict[str, PageOutcome]:
    # A failed call is the failure of each of its pages.
    outcomes = cast("tuple[PageOutcome, ...]", outcome.value_or((outcome,) * len(urls)))
    return dict(zip(urls, outcomes, strict=True))


def _decode_rows(
    operation: operations.SearchOperation, ask: operations.SearchAsk, reply: Reply
) -> Result[Sequence[UntrustedRow | SearchAnswer], WebError]:
    if operation.empty(reply):
        return Success(())
    numbered = msgspec.structs.replace(reply, page=ask.page) if ask.page else reply
    return operation.decode(numbered)


def _bind_access(encode: Callable[[Ask], ServiceCall], ask: Ask) -> Callable[[Access], ServiceCall]:
    return lambda access: encode(msgspec.structs.replace(ask, access=access))
