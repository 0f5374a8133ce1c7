"""Define answers with sources: pages, passages, quotes, claims, and their judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Protocol, TypeAlias, TypedDict

import msgspec
from msgspec import Meta
from returns.result import Result

from .errors import WebError
from .errors.error_fields import Foreign
from .receipts import TraceEntry, Usage
from .web import MAX_QUERY_CHARS, Domain

# Why a text is no quotation of a page.
QuoteFault: TypeAlias = Literal["too_long", "too_short", "parts", "not_in_page"]


class QuoteSpan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The span of a quote in a page, in characters of the text that was read.

    ``parts`` counts the parts between ellipses; the span includes what they omit.
    """

    start: int
    end: int
    parts: int = 1


# Why a claim is refused, and how a weak claim differs from the page's sentence.
ClaimFault: TypeAlias = Literal["figure", "name", "negation", "question", "unrelated", "judged"]
Doubt: TypeAlias = Literal["cut", "changed", "taken_back"]
Verdict: TypeAlias = Literal["supported", "weak", "refused"]


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a page supports a claim, as judged by ``by``.

    ``faults`` refuse it, ``doubts`` make it weak. ``changes`` are pairs: the words of the page's
    sentence, and those of the claim. ``score`` is the share of the claim's words that the sentences
    around the quote have, or the judge's own.
    """

    verdict: Verdict
    by: str
    faults: tuple[ClaimFault, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    score: float = 0.0


class SupportQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A claim, its quotes joined, and the passages that contain them."""

    claim: str
    quote: str
    passage: str


class SupportChecker(Protocol):
    """A judge of whether quotes support claims; the kernel does not trust it.

    It only decides about weak claims, and cannot overrule a refusal.
    """

    @property
    def name(self) -> str:
        """The judge's name, for the answer."""

    async def __call__(
        self, questions: Sequence[SupportQuestion], /
    ) -> Result[Sequence[float], WebError]:
        """Return for each claim the probability of support, from 0 to 1, in order."""


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
    """A stretch of a page that a model was shown under an id; ``page`` counts from 0."""

    id: str
    page: int
    start: int
    end: int


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """A quote as the page has it, with its span.

    ``moved`` means that the model named another page, and only this one has the quote. ``heading``
    is what the quote stands under, in an answer without a model.
    """

    url: str
    title: str
    text: str
    start: int
    end: int
    sha256: str
    read_on: str
    page: int
    moved: bool = False
    heading: str = ""


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the answer, its quotes, and how well they support it.

    ``written`` is what the model wrote, if ``text`` is the page's own sentence instead.
    """

    text: str
    quotes: tuple[Quote, ...]
    support: Support
    written: str = ""


class UnsupportedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A rejected claim, and why."""

    text: str
    reason: str
    quotes: tuple[str, ...] = ()


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a page: ``read``, or the kind of the error."""

    url: str
    outcome: str
    characters: int = 0


class AskReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer was made: queries, search backends, pages, passages, models, checks.

    ``broke_off`` is the kind of the error that ended the model's answer early; the claims are those
    that were complete. It is empty for a complete answer.
    """

    queries: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    pages: tuple[PageReading, ...] = ()
    passages: int = 0
    answered_by: str = ""
    checked_by: str = ""
    normalisation: int = 0
    claimed: int = 0
    repaired: int = 0
    broke_off: str = ""
    usage: Usage | None = None
    warnings: tuple[Foreign, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class AskOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """An answer in which every sentence is quoted; as text, it is ``text``.

    ``extractive`` means that no model wrote it: its sentences are the pages' own. ``missing`` has
    the words of the question that no claim has.
    """

    question: str
    claims: tuple[Claim, ...]
    unsupported: tuple[UnsupportedClaim, ...]
    missing: str
    extractive: bool
    pages: tuple[SourcePage, ...]
    passages: tuple[Passage, ...]
    receipt: AskReceipt

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

    In a ``claim`` step, ``claim`` passed its check and is in the answer.
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
    """The text that a model wrote, and its usage; ``cut`` is why it stopped early."""

    text: str
    usage: Usage | None = None
    cut: str = ""


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
