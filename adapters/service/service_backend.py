"""The runner: a service declaration and a transport become a backend."""

from collections.abc import Callable, Coroutine, Sequence
from typing import TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import BackendAbout, Served, UntrustedRow
from ...ports.errors import (
    AuthFailed,
    DeadlineExceeded,
    InvalidUrl,
    NotConfigured,
    QuotaExhausted,
    RateLimited,
    UnsupportedCapability,
    WebError,
)
from ...ports.web import SearchAnswer, WebSearchQuery
from ..http.deadlines import Deadlines
from .declaration import Capability, Service, find_no_cost, resolve_access
from .echoed_keys import EchoRedactor
from .operations import (
    Access,
    ExtractAsk,
    ExtractOperation,
    Format,
    Reply,
    SearchAsk,
    SearchOperation,
    ServiceCall,
    ServiceJob,
    finish_job,
    lacks_jobs,
    match_pages,
    never_empty,
)
from .sender import Sender, ServiceDeps, ServiceLimits

Row = UntrustedRow | SearchAnswer


class SearchPages:
    """The pages of one search. Without a limit, or without paging, there is one."""

    def __init__(self, operation: SearchOperation, query: WebSearchQuery) -> None:
        """Begin before the first page."""
        paging = operation.paging
        wanted = query.max_results
        self.rows: list[Row] = []
        self._paging = paging
        self._wanted = wanted
        self._repeated = 0
        # The same on every page: services count their pages by it.
        count = wanted if paging is None or wanted is None else min(wanted, paging.size)
        self._next: SearchAsk | None = SearchAsk(query=query, count=count)

    def next(self) -> SearchAsk | None:
        """Return what to ask for now; None when there is enough, or no more."""
        return self._next

    def take(self, reply: Reply, rows: Sequence[Row]) -> None:
        """Add a page's rows, and see whether to go on."""
        ask = self._next
        new = rows if not self.rows else self._unseen(rows)
        self._repeated += len(rows) - len(new)
        self.rows.extend(new)
        self._next = None if ask is None else self._after(ask, reply, len(rows), len(new))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the receipt should say about the pages."""
        if not self._repeated:
            return ()
        return (f"{self._repeated} rows came again on a later page and were left out",)

    def _after(self, ask: SearchAsk, reply: Reply, came: int, new: int) -> SearchAsk | None:
        paging, wanted = self._paging, self._wanted
        if paging is None or wanted is None or ask.page + 1 >= paging.most:
            return None
        short = paging.full and came < (ask.count or 0)
        if new == 0 or short or len(self.rows) >= wanted:
            return None
        token = paging.token(reply) if paging.token else ""
        if paging.token and not token:
            return None
        page = ask.page + 1
        offset = page * (ask.count or 0) if paging.full else len(self.rows)
        return msgspec.structs.replace(ask, page=page, offset=offset, token=token)

    def _unseen(self, rows: Sequence[Row]) -> list[Row]:
        """Leave out what an earlier page had; a row without a URL is for the kernel to judge."""
        seen = {_search_row_url(row) for row in self.rows} - {None}
        return [row for row in rows if _search_row_url(row) not in seen]


def _search_row_url(row: object) -> object:
    url = row.get("url") if isinstance(row, dict) else None
    return url if isinstance(url, str) else None


# The runner: a service declaration and a transport become a backend.

ReplyOutcome = TypeVar("ReplyOutcome")
PageOutcome: TypeAlias = Result[UntrustedRow, WebError]
RowsOutcome: TypeAlias = Sequence[UntrustedRow] | Served
SearchOutcome: TypeAlias = Result[Sequence[UntrustedRow], WebError] | Result[Served, WebError]
Ask = TypeVar("Ask", bound=msgspec.Struct)
# What another key may help with.
_KEY_ERRORS = (AuthFailed, QuotaExhausted, RateLimited)


class ServiceBackend:
    """A ``WebBackend`` over one service. Nothing it returns holds a key.

    With several ``accesses``, the next one is used when the service refuses a key or has had
    enough of it, and is kept from then on.
    """

    def __init__(
        self,
        service: Service,
        accesses: Sequence[Access],
        deps: ServiceDeps,
        limits: ServiceLimits | None = None,
    ) -> None:
        """Join what the service is, who calls it, and how it is reached."""
        self._job = _usable_job(service, accesses)
        self.about = _service_about(service, self._job)
        self._service = service
        self._accesses = tuple(resolve_access(access, service) for access in accesses)
        self._echoes = EchoRedactor(deps.echoes(_service_secrets(service, self._accesses)))
        self._turn = 0
        self._around = deps
        self._limits = limits or ServiceLimits()
        self._deadlines = Deadlines(self._limits.seconds)
        price = service.offer.price
        cost = find_no_cost if price is None else price.cost
        self._sender = Sender(service.classify, deps, self._limits, cost)

    async def search(self, query: WebSearchQuery, /) -> SearchOutcome:
        """Ask the service, page by page up to what was asked for. No rows is a success."""
        operation = self._service.search
        if operation is None:
            return Failure(self._cannot("search"))
        lacking = self._lacking("search")
        if lacking is not None:
            return Failure(lacking)
        outcome = await self._in_time(self._search(operation, query))
        return cast("SearchOutcome", outcome.map(self._echoes.masked).alt(self._sign))

    async def extract(self, url: str, /) -> PageOutcome:
        """Have the service read one page."""
        pages = await self.extract_many((url,))
        return pages[0]

    async def extract_many(self, urls: Sequence[str], /) -> tuple[PageOutcome, ...]:
        """Have the service read pages, as many at once as it takes: one outcome for each URL."""
        operation = self._service.extract
        if operation is None:
            return tuple(Failure(self._cannot("extract")) for _ in urls)
        lacking = self._lacking("extract")
        if lacking is not None:
            return tuple(Failure(lacking) for _ in urls)
        known = tuple(url for url in urls if operation.reads is None or operation.reads(url))
        pages: dict[str, PageOutcome] = {}
        for start in range(0, len(known), self.about.batch):
            pages |= await self._read(operation, known[start : start + self.about.batch])
        outcomes = (pages.get(url, _unknown_page_outcome(url)) for url in urls)
        return tuple(outcome.map(self._echoes.masked).alt(self._sign) for outcome in outcomes)

    async def aclose(self) -> None:
        """Close the connections that are kept open for the next call."""
        await self._around.transport.aclose()

    async def _search(
        self, operation: SearchOperation, query: WebSearchQuery
    ) -> Result[RowsOutcome, WebError]:
        pages, trail = SearchPages(operation, query), list[str]()
        while (ask := pages.next()) is not None:
            encode = _bind_access(operation.encode, ask)
            answered = await self._persist(encode, operation.format, trail, operation.empty)
            if isinstance(answered, Failure):
                return answered
            reply = answered.unwrap()
            decoded = _decode_search_rows(operation, ask, reply)
            if isinstance(decoded, Failure):
                return decoded
            pages.take(reply, decoded.unwrap())
        warnings = (*trail, *pages.warnings)
        return Success(Served(answer=pages.rows, warnings=warnings) if warnings else pages.rows)

    async def _read(
        self, operation: ExtractOperation, urls: tuple[str, ...]
    ) -> dict[str, PageOutcome]:
        """Read pages as one job, or in as many calls as that takes."""
        pages: dict[str, PageOutcome] = {}
        if self._job is not None and len(urls) > 1:
            done = await self._in_time(self._work(self._job, urls))
            if not (isinstance(done, Failure) and lacks_jobs(done.failure())):
                return _outcomes_by_url(urls, done)
            self._job = None
        for start in range(0, len(urls), operation.batch):
            part = urls[start : start + operation.batch]
            pages |= _outcomes_by_url(part, await self._in_time(self._extract(operation, part)))
        return pages

    async def _work(
        self, job: ServiceJob, urls: tuple[str, ...]
    ) -> Result[tuple[PageOutcome, ...], WebError]:
        reply = await finish_job(
            job, urls, lambda encode: self._persist(encode, "json", []), self._around.pause
        )
        decoded = reply.bind(lambda last: job.decode(last, urls))
        return decoded.map(lambda pages: match_pages(pages, urls, self._around.canonical))

    async def _extract(
        self, operation: ExtractOperation, urls: tuple[str, ...]
    ) -> Result[tuple[PageOutcome, ...], WebError]:
        encode = _bind_access(operation.encode, ExtractAsk(urls=urls))
        reply = await self._persist(encode, operation.format, [])
        decoded = reply.bind(lambda whole: operation.decode(whole, urls))
        return decoded.map(lambda pages: match_pages(pages, urls, self._around.canonical))

    async def _in_time(
        self, work: Coroutine[object, object, Result[ReplyOutcome, WebError]]
    ) -> Result[ReplyOutcome, WebError]:
        try:
            return await self._deadlines.keep(work)
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self._limits.seconds))

    async def _persist(
        self,
        encode: Callable[[Access], ServiceCall],
        form: Format,
        trail: list[str],
        accepted: Callable[[Reply], bool] = never_empty,
    ) -> Result[Reply, WebError]:
        """Try again while that may help, with another key where there is one."""
        attempt, keys_left = 1, len(self._accesses) - 1
        while True:
            access = self._accesses[self._turn]
            reply = await self._sender.send(encode(access), access, form, accepted)
            if isinstance(reply, Success):
                return reply
            error = reply.failure()
            if keys_left and isinstance(error, _KEY_ERRORS):
                keys_left -= 1
                self._turn = (self._turn + 1) % len(self._accesses)
                wait: float | None = 0.0
            else:
                wait = self._around.retry(error, attempt)
                attempt += 1
            if wait is None:
                return reply
            trail.append(f"tried again after: {self._sign(error).message}")
            await self._around.pause(wait)

    def _sign(self, error: WebError) -> WebError:
        """Put our name on a failure, and take every secret out of what the service said."""
        secrets = _service_secrets(self._service, self._accesses)
        masked = {
            name: self._around.redact(value, secrets)
            for name, value in msgspec.structs.asdict(error).items()
            if isinstance(value, str) and name in ("detail", "reason")
        }
        return msgspec.structs.replace(error, backend=self._service.name, **masked)

    def _cannot(self, capability: str) -> UnsupportedCapability:
        return UnsupportedCapability(capability=capability, backend=self._service.name)

    def _lacking(self, capability: Capability) -> NotConfigured | None:
        """Return what must be set first, where only the other operation works without a key."""
        service, access = self._service, self._accesses[self._turn]
        if capability in service.offer.keyless:
            return None
        for option in service.options:
            if option.required and not access.value(option.name):
                return service.without(option)
        return None


def _service_secrets(service: Service, accesses: Sequence[Access]) -> tuple[str, ...]:
    values = (access.value(name) for access in accesses for name in service.secrets())
    return tuple(value for value in values if value)


def _service_about(service: Service, job: ServiceJob | None) -> BackendAbout:
    operation = job or service.extract
    batch = operation.batch if operation is not None else 1
    return BackendAbout(name=service.name, abilities=service.abilities, batch=batch)


def _usable_job(service: Service, accesses: Sequence[Access]) -> ServiceJob | None:
    """Return how many pages are read at once: as a job, which takes a key, or not at all."""
    has_key = all(access.key for access in accesses)
    return service.extract.job if service.extract is not None and has_key else None


def _outcomes_by_url(
    urls: tuple[str, ...], outcome: Result[tuple[PageOutcome, ...], WebError]
) -> dict[str, PageOutcome]:
    # A call that failed as a whole failed for each of its pages.
    outcomes = cast("tuple[PageOutcome, ...]", outcome.value_or((outcome,) * len(urls)))
    return dict(zip(urls, outcomes, strict=True))


def _unknown_page_outcome(url: str) -> PageOutcome:
    return Failure(InvalidUrl(reason="it is not one of the pages that this backend knows", url=url))


def _decode_search_rows(
    operation: SearchOperation, ask: SearchAsk, reply: Reply
) -> Result[Sequence[UntrustedRow | SearchAnswer], WebError]:
    if operation.empty(reply):
        return Success(())
    placed = msgspec.structs.replace(reply, page=ask.page) if ask.page else reply
    return operation.decode(placed)


def _bind_access(encode: Callable[[Ask], ServiceCall], ask: Ask) -> Callable[[Access], ServiceCall]:
    return lambda access: encode(msgspec.structs.replace(ask, access=access))
