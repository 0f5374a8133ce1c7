"""What a dialect can ask the gateway for. Each ask knows how its own answer is written."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from ...ports.jobs import JobState
from ...ports.keys import KeyTool
from ...ports.models.rerank import RankedDocument
from ...ports.web import SearchOutcome, WebExtractResult
from .refusal import Call, Refusal, Reply

Written: TypeAlias = Reply | Refusal


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page that was read, or why it was not."""

    url: str
    result: WebExtractResult | None = None
    refusal: Refusal | None = None


# What is wrong with all of us, and not with one page.
_OURS = ("rate", "busy", "budget", "shared_budget", "deadline", "unavailable", "backend")


def common_refusal(pages: Sequence[Page]) -> Refusal | None:
    """Return why no page was read, where the pages are not to blame; None otherwise.

    An empty list would be taken for pages that are not there.
    """
    refusals = [page.refusal for page in pages if page.refusal is not None]
    whole = len(refusals) == len(pages) and all(each.kind in _OURS for each in refusals)
    return refusals[0] if whole and refusals else None


class PageOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are wanted: at most so many characters of each, about this question."""

    char_limit: int | None = None
    focus: str | None = None
    seconds: float | None = None


class SearchSuccess(msgspec.Struct, frozen=True, kw_only=True):
    """A search that worked; ``pages`` are those of its rows, where they were asked for."""

    outcome: SearchOutcome
    pages: tuple[Page, ...] = ()
    seconds: float = 0.0


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Search; ``fields`` are those of the tool ``web_search``."""

    fields: Mapping[str, object]
    pages: PageOptions | None = None
    write: Callable[[SearchSuccess], Written]


class PagesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read pages, one outcome for each."""

    urls: tuple[str, ...]
    wish: PageOptions = PageOptions()
    write: Callable[[Sequence[Page]], Written]


class CrawlPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which pages to read from one on: how many, how many links away, and which paths.

    With ``below`` only those in the folder of the first.
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
    """Tell which pages of its own site a page leads to."""

    plan: CrawlPlan
    words: str = ""
    write: Callable[[Sequence[str]], Written]


class CrawlRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read a page and those of its site that it leads to, while the caller waits."""

    plan: CrawlPlan
    write: Callable[[Sequence[Page]], Written]


JobKind: TypeAlias = Literal["batch", "crawl"]


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it stands."""

    id: str
    kind: JobKind
    state: JobState
    total: int
    pages: tuple[Page, ...]
    expires: str
    memo: tuple[str, ...] = ()


class StartJobRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Begin a job: many pages, or a crawl. ``memo`` comes back with every look at it."""

    kind: JobKind
    urls: tuple[str, ...] = ()
    plan: CrawlPlan | None = None
    wish: PageOptions = PageOptions()
    memo: tuple[str, ...] = ()
    again: str = ""
    write: Callable[[JobView], Written]


class JobStatusRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Look at a job of one's own, or cancel it."""

    kind: JobKind
    id: str
    cancel: bool = False
    write: Callable[[JobView], Written]


class ListJobsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Name the jobs of one's own that are under way."""

    kind: JobKind
    write: Callable[[Sequence[JobView]], Written]


class RerankRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Put documents into the order of how well they answer."""

    query: str
    documents: tuple[str, ...]
    top: int | None = None
    write: Callable[[Sequence[RankedDocument]], Written]


class WrittenAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a model over the rows of a search."""

    found: SearchSuccess
    text: str
    model: str


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Search, and have the model that is set write an answer over the rows."""

    fields: Mapping[str, object]
    question: str
    write: Callable[[WrittenAnswer], Written]


Ask: TypeAlias = (
    SearchRequest
    | PagesRequest
    | LinksRequest
    | CrawlRequest
    | StartJobRequest
    | JobStatusRequest
    | ListJobsRequest
    | RerankRequest
    | AnswerRequest
)


# A dialect: data and pure functions, in a file of its own under ``dialects``.

# A reader may answer by itself what needs nobody, such as a list of models.
Reading: TypeAlias = Ask | Reply | Refusal


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One path. A star in it stands for one part, at its end for all that follows.

    ``root`` says of a call whether it is this dialect's when it came without the prefix; None is
    never, as another dialect has the same path and nothing tells the two apart. ``tool`` is what a
    key must be allowed; a ``long`` call may take its time. To a ``bare`` one the query is a part of
    what it asks for, as it stands.
    """

    method: str
    path: str
    read: Callable[[Call], Reading]
    root: Callable[[Call], bool] | None = None
    tool: KeyTool | None = "search"
    long: bool = False
    bare: bool = False


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """A search API that others speak. ``keys`` finds the keys in a call, wherever they stand.

    ``refuse`` puts any refusal into the dialect's own status and shape.
    """

    name: str
    title: str
    endpoints: tuple[Endpoint, ...]
    keys: Callable[[Call], tuple[str, ...]]
    refuse: Callable[[Refusal, Call], Reply]


def accept_always(_call: Call) -> bool:
    """Take every call to a path that no other dialect has."""
    return True


def header_keys(call: Call) -> tuple[str, ...]:
    """Return the keys that stand in headers, in any of the ways that clients send them.

    >>> from datetime import date
    >>> bearer = {"authorization": "Bearer k"}
    >>> header_keys(Call(method="GET", path="/", headers=bearer, today=date.min))
    ('k',)
    """
    names = ("x-api-key", "x-subscription-token")
    bearer = call.header("authorization").strip()
    scheme, _, token = bearer.partition(" ")
    # Open WebUI's client of Jina sends the bare key (read 2026-11-15).
    own = token.strip() if scheme.lower() == "bearer" else bearer if not token else ""
    return tuple(key for key in (own, *(call.header(name).strip() for name in names)) if key)
