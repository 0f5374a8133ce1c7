"""Define answers with sources: pages, passages, claims and what stands around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Protocol, TypeAlias, TypedDict

import msgspec
from msgspec import Meta
from returns.result import Result

from .attempts import BackendAttempt
from .errors import WebError
from .errors.error_fields import Foreign
from .receipts import TraceEntry, Usage
from .web import MAX_QUERY_CHARS, Domain


class SourcePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as it was read; quotes are checked against it, also later."""

    url: str
    final_url: str
    title: str
    text: str
    sha256: str
    read_on: str
    backend: str


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a page that a model was shown under an id.

    ``page`` is the index of the web page, from 0; ``page_number`` is that of the page of a PDF on
    which the stretch begins, None in other documents.
    """

    id: str
    page: int
    start: int
    end: int
    page_number: int | None = None


ClaimKind: TypeAlias = Literal["sentences", "items", "rows", "code"]


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """What stands around a claim in its page, by the structure of the page.

    ``headings`` are those above, the outermost first. ``intro`` is the line that introduces a list,
    code or a paragraph, ``parents`` are the items above it. Of a table: ``caption`` stands right
    above it, ``header`` are the names of its columns, and ``section`` is what stands in the first
    column for this row and others. ``before`` and ``after`` are the sentences, items or rows
    beside it.
    """

    url: str
    title: str = ""
    headings: tuple[str, ...] = ()
    intro: str = ""
    parents: tuple[str, ...] = ()
    caption: str = ""
    header: str = ""
    section: str = ""
    before: str = ""
    after: str = ""


class Paraphrase(msgspec.Struct, frozen=True, kw_only=True):
    """A model's own words for a claim; they are never shown as supported.

    ``differences`` are pairs: the words of the page, and those of the model.
    """

    text: str
    verdict: Literal["same", "differs"]
    differences: tuple[tuple[str, str], ...] = ()


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Whole sentences, items or rows of one page, as they are printed, and their frame.

    Several items or rows stand between slashes. ``start`` and ``end`` are their place in the text
    of the page that was read, ``page`` its index; ``page_number`` is that of a PDF. ``moved`` means
    that the model named another page, and only this one has its quote. ``paraphrase`` is None where
    no model chose.
    """

    text: str
    kind: ClaimKind
    frame: Frame
    start: int
    end: int
    page: int
    sha256: str
    read_on: str
    page_number: int | None = None
    moved: bool = False
    paraphrase: Paraphrase | None = None


class UnsupportedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What a model claimed and quoted in its own words, and why that is no claim."""

    paraphrase: str
    reason: str
    quotes: tuple[str, ...] = ()


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a page: ``read``, or the kind of the error."""

    url: str
    outcome: str
    characters: int = 0


class AskReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer was made: queries, search backends, pages, passages, models, checks.

    The first of ``queries`` is the question, a model wrote the others. ``rules`` is the version of
    the rules that print a claim. ``broke_off`` is the kind of the error that ended the model's
    answer early; the claims are those that were complete. It is empty for a complete answer.
    ``answered_by`` is the model that wrote the claims, several joined by +, or ``extraction``.
    ``attempts`` are those of all searches, pages and models, also of those that failed.
    """

    queries: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    pages: tuple[PageReading, ...] = ()
    passages: int = 0
    answered_by: str = ""
    rules: int = 0
    claimed: int = 0
    repaired: int = 0
    broke_off: str = ""
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()
    warnings: tuple[Foreign, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class AskOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """An answer whose claims are the pages' own text; as text, it is ``text``.

    ``extractive`` means that no model chose them. ``missing`` has the words of the question that no
    claim has. ``summary`` is a model's own wording of the whole, which nothing supports.
    """

    question: str
    claims: tuple[Claim, ...]
    unsupported: tuple[UnsupportedClaim, ...]
    missing: str
    extractive: bool
    pages: tuple[SourcePage, ...]
    passages: tuple[Passage, ...]
    receipt: AskReceipt
    summary: str = ""

    @property
    def text(self) -> str:
        """The claims, one to a paragraph; an answer of ``web_ask`` has its sources under them."""
        return "\n\n".join(claim.text for claim in self.claims)

    def __str__(self) -> str:
        """Return the text."""
        return self.text


AskStepName: TypeAlias = Literal[
    "plan", "search", "page", "read", "passages", "answer", "check", "repair", "claim"
]


class AskStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step on the way to an answer.

    In a ``claim`` step, ``claim`` is in the answer.
    """

    step: AskStepName
    detail: str = ""
    claim: Claim | None = None


# Any number of steps, then exactly one result.
AskEvent: TypeAlias = AskStep | Result[AskOutcome, WebError]
HearText: TypeAlias = Callable[[str], None]


class Answerer(Protocol):
    """A model that returns JSON for a schema; the kernel does not trust it."""

    @property
    def name(self) -> str:
        """The model's name, for the receipt."""

    async def __call__(
        self, prompt: str, schema: Mapping[str, object], /, *, hear: HearText | None = None
    ) -> Result[ModelText, WebError]:
        """Return what the model wrote; ``hear`` receives each piece as it comes."""


class ModelText(msgspec.Struct, frozen=True, kw_only=True):
    """The text that a model wrote, its usage and attempts; ``cut`` is why it stopped early.

    ``model`` is the model that wrote it, where the answer names one: a route or a plugin may ask
    another model than the answerer is named after.
    """

    text: str
    model: str = ""
    usage: Usage | None = None
    cut: str = ""
    attempts: tuple[BackendAttempt, ...] = ()


class AskArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question for an answer with sources, and where to search."""

    question: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    max_pages: Annotated[int, Meta(ge=1, le=12)] = 6
    include_domains: tuple[Domain, ...] = ()
    exclude_domains: tuple[Domain, ...] = ()


class AskOptions(TypedDict, total=False):
    """Where to look for an answer; ``evidence``, the pages of an earlier one, replace a search."""

    max_pages: int | None
    include_domains: Sequence[str]
    exclude_domains: Sequence[str]
    evidence: Sequence[SourcePage]
