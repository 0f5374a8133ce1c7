"""Requests that a dialect makes of the gateway. Each has a function that writes its answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Literal, Protocol, TypeAlias

import msgspec

from webseam.ports import models
from webseam.ports.errors import HttpStatus
from webseam.ports.jobs import JobState
from webseam.ports.keys import KeyTool
from webseam.ports.receipts import ExtractReceipt, SearchReceipt, Usage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchResult

from .replies import Call, Refusal, Reply, refuse_unsupported

# The answer, or the request that comes next.
Written: TypeAlias = "Reply | Refusal | GatewayRequest"


PageForm: TypeAlias = Literal["html", "text", "links", "images"]
# Kinds of refusals that concern the gateway, not a single page.
_GATEWAY_REFUSAL_KINDS = (
    "rate",
    "busy",
    "budget",
    "shared_budget",
    "deadline",
    "unavailable",
    "backend",
)
NOTHING_FOUND = "Nothing was found that answers this."
_SUMMARY_PROMPT = (
    "Summarise the text between the marks in at most 1000 characters, in its own language. Copy "
    "figures, names and dates exactly, and say nothing that the text does not say."
)
# Fields that clients of Google's kind send with every search.
CLIENT_DEFAULTS = ("country", "language", "safe_search")


class PageForms(msgspec.Struct, frozen=True, kw_only=True):
    """A page in the forms that were asked for; links and images have their texts first."""

    html: str = ""
    text: str = ""
    links: tuple[tuple[str, str], ...] = ()
    images: tuple[tuple[str, str], ...] = ()


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page, or why it was not read; ``written`` is what the model for small work made of it.

    Data are written as a JSON object.
    """

    url: str
    result: WebExtractResult | None = None
    refusal: Refusal | None = None
    written: str = ""
    forms: PageForms = PageForms()

    @property
    def link_targets(self) -> list[str]:
        """The addresses that the page links to, each once, if its links were asked for."""
        return list(dict.fromkeys(target for _, target in self.forms.links))


def common_page_refusal(pages: Sequence[Page]) -> Refusal | None:
    """Return the refusal if no page was read for a reason of the gateway; else None.

    An empty list would look like pages that do not exist.
    """
    refusals = [page.refusal for page in pages if page.refusal is not None]
    is_common = len(refusals) == len(pages) and all(
        refusal.kind in _GATEWAY_REFUSAL_KINDS for refusal in refusals
    )
    return refusals[0] if is_common and refusals else None


class WritingTask(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, a summary or data that the model for small work writes from rows or a page.

    ``field`` is the part of the call that asks for it. Without a model it is refused by that name;
    the reply names it instead if it is ``optional``. ``earlier`` are turns that were sealed for the
    caller, whom the reader of a call does not know; ``earlier_field`` names them in a refusal. A
    ``sourced`` answer promises its sources, so it has the rows' own words. Without a row
    that has text no model is asked: the answer is a search model's own, or else ``nothing``.

    An object is JSON that was checked: one that follows ``rules.output_schema``, or ``data`` that a
    page proves. Without a row that has text it is refused. ``schema_field`` is the part of the call
    with the schema.
    """

    field: str
    prompt: str = ""
    rules: models.WritingRules = models.WritingRules()
    optional: bool = False
    earlier: str = ""
    earlier_field: str = ""
    sourced: bool = False
    nothing: str = ""
    data: bool = False
    schema_field: str = "schema"


def summary_task(field: str, wanted: str = "") -> WritingTask:
    """Return the task to summarise a page."""
    instructions = f"What is wanted: {wanted}" if wanted else ""
    rules = models.WritingRules(instructions=instructions)
    return WritingTask(field=field, prompt=_SUMMARY_PROMPT, rules=rules)


def data_task(
    field: str, wanted: str = "", schema: Mapping[str, object] | None = None, *, schema_field: str
) -> WritingTask:
    """Return the task to take data from a page: those of a schema, or what the words want."""
    form = models.OutputSchema(schema=schema, strict=False) if schema else None
    rules = models.WritingRules(output_schema=form)
    return WritingTask(
        field=field, prompt=wanted, rules=rules, data=True, schema_field=schema_field
    )


class PageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options for pages: how many characters, a question to focus on, the age of a cached page.

    ``html_field`` is the field of the call that asks for the HTML of the page, as ``raw_content``.
    ``forms`` are made of its markdown, from which ``drops_images`` takes the pictures before.
    """

    char_limit: int | None = None
    max_age: float | None = None
    focus: str | None = None
    html_field: str = ""
    seconds: float | None = None
    task: WritingTask | None = None
    forms: tuple[PageForm, ...] = ()
    drops_images: bool = False


class WrittenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A model's answer from the rows of a search, and the turns so far, sealed for the caller.

    An answer with a schema is a JSON object.
    """

    text: str
    model: str
    usage: Usage = Usage()
    sealed: str = ""


class SearchSuccess(msgspec.Struct, frozen=True, kw_only=True):
    """A successful search; ``pages`` has the pages of its rows if they were requested."""

    outcome: SearchOutcome
    pages: tuple[Page, ...] = ()
    seconds: float = 0.0
    answer: WrittenAnswer | None = None


def image_page(row: WebSearchResult) -> str:
    """Return the URL of the page that shows an image; that of the image if it is not known."""
    return row.snippet if row.snippet.startswith(("http://", "https://")) else row.url


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Search; ``fields`` are those of the tool ``web_search``.

    ``hints`` are those that only help, such as the language of the interface: if no backend has
    them, the search goes on and the reply names them. A strict safe search is never a hint.
    ``unread`` are fields of the call that this search does not use. ``page`` counts pages of
    ``max_results`` rows. ``max_age`` is how old cached rows may be, in seconds.
    """

    fields: Mapping[str, object]
    page: int = 1
    max_age: float | None = None
    hints: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    pages: PageOptions | None = None
    answer: WritingTask | None = None
    write: Callable[[SearchSuccess], Written]


def search_in_turn(
    searches: Sequence[Mapping[str, object]],
    write: Callable[[Sequence[SearchSuccess]], Written],
    *,
    page: int = 1,
    hints: tuple[str, ...] = (),
    unread: tuple[str, ...] = (),
) -> SearchRequest:
    """Return the first search, which the others follow; ``write`` gets the results of all."""

    def request(found: tuple[SearchSuccess, ...]) -> SearchRequest:
        def go_on(results: SearchSuccess) -> Written:
            successes = (*found, results)
            return request(successes) if len(successes) < len(searches) else write(successes)

        fields = searches[len(found)]
        return SearchRequest(fields=fields, page=page, hints=hints, unread=unread, write=go_on)

    return request(())


def rows_in_turn(found: Sequence[SearchSuccess]) -> list[tuple[int, WebSearchResult]]:
    """Return the rows of several searches in turn, every URL once, with the index of its search.

    A row that two searches have is the first one's.
    """
    columns = [
        [(index, row) for row in success.outcome.rows] for index, success in enumerate(found)
    ]
    distinct: dict[str, tuple[int, WebSearchResult]] = {}
    for turn in zip_longest(*columns):
        for indexed in turn:
            if indexed is not None:
                distinct.setdefault(indexed[1].url, indexed)
    return list(distinct.values())


def dollars_of(receipts: Iterable[SearchReceipt | ExtractReceipt], *usages: Usage | None) -> float:
    """Return what calls cost, as far as prices are known."""
    total = sum(usage.cost or 0.0 for usage in usages if usage is not None)
    for receipt in receipts:
        total += sum(attempt.cost or 0.0 for attempt in receipt.attempts)
        if isinstance(receipt, ExtractReceipt) and receipt.usage is not None:
            total += receipt.usage.cost or 0.0
    return round(total, 6)


def page_receipts(pages: Iterable[Page]) -> list[ExtractReceipt]:
    """Return the receipts of the pages that were read."""
    return [page.result.receipt for page in pages if page.result is not None]


def stated_status(refusal: Refusal | None) -> int | None:
    """Return the status that a page's server answered; None if it stated none."""
    error = None if refusal is None else refusal.error
    return error.status if isinstance(error, HttpStatus) else None


class PagesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read pages, with one outcome for each."""

    urls: tuple[str, ...]
    wish: PageOptions = PageOptions()
    unread: tuple[str, ...] = ()
    write: Callable[[Sequence[Page]], Written]


class CrawlPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The pages to read from a start page: how many, how many links away, and which paths.

    ``below`` limits them to the folder of the start page.
    """

    url: str
    limit: int
    depth: int = 2
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    subdomains: bool = False
    below: bool = False
    wish: PageOptions = PageOptions()


class LinksRequest(msgspec.Struct, frozen=True, kw_only=True):
    """List the pages of the same site that a page links to."""

    plan: CrawlPlan
    words: str = ""
    write: Callable[[Sequence[str]], Written]


class CrawlRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read a page and linked pages of its site while the caller waits."""

    plan: CrawlPlan
    write: Callable[[Sequence[Page]], Written]


JobKind: TypeAlias = Literal["batch", "crawl"]


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a job."""

    id: str
    kind: JobKind
    state: JobState
    total: int
    pages: tuple[Page, ...]
    expires: str
    memo: tuple[str, ...] = ()


class StartJobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Start a job: a batch of pages, or a crawl. Every view of the job returns ``memo``."""

    kind: JobKind
    urls: tuple[str, ...] = ()
    plan: CrawlPlan | None = None
    wish: PageOptions = PageOptions()
    memo: tuple[str, ...] = ()
    again: str = ""
    write: Callable[[JobView], Written]


class JobStatusRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read the state of the caller's job, or cancel it."""

    kind: JobKind
    id: str
    cancel: bool = False
    write: Callable[[JobView], Written]


class ListJobsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """List the caller's running jobs."""

    kind: JobKind
    write: Callable[[Sequence[JobView]], Written]


class RerankRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Rank documents by how well they answer a query."""

    query: str
    documents: tuple[str, ...]
    unread: tuple[str, ...] = ()
    write: Callable[[Sequence[models.RankedDocument]], Written]


class EmbedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Return a vector for each text."""

    texts: tuple[str, ...]
    role: models.TextRole = "document"
    unread: tuple[str, ...] = ()
    write: Callable[[models.Embeddings], Written]


GatewayRequest: TypeAlias = (
    SearchRequest
    | PagesRequest
    | LinksRequest
    | CrawlRequest
    | StartJobRequest
    | JobStatusRequest
    | ListJobsRequest
    | RerankRequest
    | EmbedRequest
)


class WebToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a web tool that the gateway runs for a model, which gave it ``call_id``."""

    id: str
    name: str
    input: Mapping[str, object]
    call_id: str = ""


class WebToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a web tool returned: a block for the caller, text and a note for the model."""

    use: WebToolUse
    block: dict[str, object]
    text: str
    note: str = ""


class TurnEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of the model's turn; ``pause`` means that the caller may have it go on.

    ``unread`` are fields of the call that the model's API does not take.
    """

    reason: models.FinishReason | Literal["pause"]
    usage: Usage = Usage()
    unread: tuple[str, ...] = ()
    stop_sequence: str | None = None


ConversationItem: TypeAlias = models.Delta | WebToolUse | WebToolResult | models.ToolCall | TurnEnd
# A text is the dialect's own code of an error.
WebToolValue: TypeAlias = SearchSuccess | Page | Refusal | str


class ConversationWriter(Protocol):
    """The form in which a dialect returns one turn of a model."""

    def web_request(self, use: WebToolUse, /) -> SearchRequest | PagesRequest | str:
        """Return what the use of a tool asks for, or the code of an error."""

    def is_used_up(self, name: str, /) -> bool:
        """Tell whether a tool may not be used any more."""

    def read_result(self, use: WebToolUse, value: WebToolValue, /) -> WebToolResult:
        """Return a result as a block and as text."""

    def write_events(self, item: ConversationItem | Refusal | None, /) -> Iterable[bytes]:
        """Add an item to the turn; yield its events. None keeps the connection open."""

    def write_reply(self) -> Reply:
        """Return the whole turn."""


class ConversationRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Have a model answer; run the tools named ``tools`` for it.

    With a ``query`` only this search is wanted, and no model is asked. ``found`` are the URLs of
    the rows in its messages, by the id of the search. ``unread`` are fields of the call that change
    nothing.
    """

    chat: models.ChatRequest
    found: Mapping[str, tuple[str, ...]] = {}
    tools: tuple[str, ...] = ()
    query: str = ""
    stream: bool = False
    rights: tuple[KeyTool, ...] = ()
    unread: tuple[str, ...] = ()
    write: Callable[[], ConversationWriter]


# A reader may reply directly when no backend is needed, as for a list of models.
Reading: TypeAlias = GatewayRequest | ConversationRequest | Reply | Refusal


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A path. A star stands for one part, or at the end for the rest of the path.

    ``root`` tells whether a call without the dialect's prefix belongs to it; None means never,
    because another dialect has the same path and the calls look alike. ``tool`` is the permission
    that a key needs. ``long`` calls may take their time. For a ``bare`` endpoint the raw query is
    part of the requested URL. ``shape`` declares the fields that it reads from the body, or from
    the query of a GET. ``idle`` are fields of the vendor that change nothing here: the reply names
    them in a header, unless the value is one of the vendor's ``defaults``. Other fields are refused
    by name if they ask for something; without a value, as ``false`` or an empty list, they are
    named, too.
    """

    method: str = "POST"
    path: str
    read: Callable[[Call], Reading]
    root: Callable[[Call], bool] | None = None
    tool: KeyTool | None = "search"
    long: bool = False
    bare: bool = False
    shape: type[msgspec.Struct] | None = None
    idle: frozenset[str] = frozenset()
    defaults: Mapping[str, object] = {}


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """A search API of another vendor. ``keys`` finds the keys in a call.

    ``refuse`` writes a refusal with the dialect's status and shape. ``names`` are its names of our
    search fields.
    """

    name: str
    title: str
    names: Mapping[str, str] = {}
    endpoints: tuple[Endpoint, ...]
    keys: Callable[[Call], tuple[str, ...]]
    refuse: Callable[[Refusal, Call], Reply]


def accept_call(_call: Call) -> bool:
    """Accept every call to a path that no other dialect has."""
    return True


def refuse_endpoint(call: Call) -> Refusal:
    """Refuse a path of the vendor that the gateway lacks, by its name."""
    return refuse_unsupported(call.path)


def header_keys(call: Call) -> tuple[str, ...]:
    """Return the keys in the headers, in any form that clients send.

    >>> from datetime import date
    >>> bearer = {"authorization": "Bearer k"}
    >>> header_keys(Call(method="GET", path="/", headers=bearer, today=date.min))
    ('k',)
    """
    names = ("x-api-key", "x-subscription-token")
    bearer = call.header("authorization").strip()
    scheme, _, token = bearer.partition(" ")
    bearer_key = ""
    if scheme.lower() == "bearer":
        bearer_key = token.strip()
    elif not token:
        # Open WebUI's Jina client sends the bare key (read 2026-11-15).
        bearer_key = bearer
    return tuple(key for key in (bearer_key, *(call.header(name).strip() for name in names)) if key)
