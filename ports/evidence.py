"""What an answer with sources is made of: pages, passages, quotes, claims, and who judges them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .errors import WebError
from .receipts import TraceEntry, Usage
from .web import MAX_QUERY_CHARS, Domain

# Why words are no quotation of a page.
QuoteFault: TypeAlias = Literal["too_long", "too_short", "parts", "not_in_page"]


class QuoteSpan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a quote stands in a page, in characters of the text that was read.

    It was quoted in ``parts`` with ellipses between them; what they leave out is in the span. When
    its sentence ``asks``, or has ``denied`` before the quote begins, it carries no claim.
    """

    start: int
    end: int
    parts: int = 1
    asks: bool = False
    denied: bool = False


# What a claim has that its quote has not, or what nobody can tell from words alone.
ClaimFault: TypeAlias = Literal[
    "figure", "unit", "date", "name", "negation", "opposite", "word", "question", "denied", "judged"
]
Doubt: TypeAlias = Literal["paraphrase", "order", "hedge", "denials"]
Verdict: TypeAlias = Literal["supported", "weak", "refused"]


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a quote carries a claim, as far as ``by`` can tell.

    ``faults`` refuse it; ``doubts`` are what the words leave open, such as who did what to whom.
    ``score`` is the share of the claim's words that the quote has, or the judge's own.
    """

    verdict: Verdict
    by: str
    faults: tuple[ClaimFault, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    score: float = 0.0


class SupportQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A claim, the quotes it rests on in one text, and the passages around them."""

    claim: str
    quote: str
    passage: str


class SupportChecker(Protocol):
    """Something that judges whether quotes carry claims, and that the kernel does not trust.

    It is asked about what the words left open, and may not overrule them on figures or dates.
    """

    @property
    def name(self) -> str:
        """Who judges, for the answer."""
        ...

    async def __call__(
        self, questions: Sequence[SupportQuestion], /
    ) -> Result[Sequence[float], WebError]:
        """Return for each claim how likely it is carried, from 0 to 1, in their order."""
        ...


class SourcePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page as it was read: what quotes are checked against, and can be again."""

    url: str
    final_url: str
    title: str
    text: str
    sha256: str
    read_on: str
    backend: str


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a page that a model was shown under a short name; ``page`` counts from 0."""

    id: str
    page: int
    start: int
    end: int


class Quote(msgspec.Struct, frozen=True, kw_only=True):
    """Words of a page, taken from the page itself, with where they stand in it.

    ``moved`` says that the model named another page, and that only this one has them.
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


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the answer, the quotes it rests on, and how far they carry it."""

    text: str
    quotes: tuple[Quote, ...]
    support: Support


class UnsupportedClaim(msgspec.Struct, frozen=True, kw_only=True):
    """What was claimed and left out, and why."""

    text: str
    reason: str
    quotes: tuple[str, ...] = ()


class PageReading(msgspec.Struct, frozen=True, kw_only=True):
    """What came of reading a page: ``read``, or the kind of the failure."""

    url: str
    outcome: str
    characters: int = 0


class AskReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """What was done for an answer: queries, who searched, pages, passages, models, checks.

    ``broke_off`` is the kind of the failure that ended the model's answer early; the claims are
    those it had finished by then. Empty for an answer that came to its end.
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
    warnings: tuple[str, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class AskOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of which every sentence is quoted.

    ``extractive`` says that no model wrote it: its sentences are the pages' own. ``missing`` is
    what the model says the pages do not tell.
    """

    question: str
    claims: tuple[Claim, ...]
    unsupported: tuple[UnsupportedClaim, ...]
    missing: str
    extractive: bool
    pages: tuple[SourcePage, ...]
    passages: tuple[Passage, ...]
    receipt: AskReceipt


AskStepName: TypeAlias = Literal[
    "plan", "search", "page", "read", "passages", "answer", "check", "repair", "claim"
]


class AskStep(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was begun or done on the way to an answer.

    Of the step ``claim``, ``claim`` is one that stood its check: it is in the answer.
    """

    step: AskStepName
    detail: str = ""
    claim: Claim | None = None


# Any number of steps, then exactly one result, then nothing.
AskEvent: TypeAlias = AskStep | Result[AskOutcome, WebError]
Hear: TypeAlias = Callable[[str], None]


class Answerer(Protocol):
    """A model that is asked for JSON after a schema, and that the kernel does not trust."""

    @property
    def name(self) -> str:
        """Who answers, for the receipt."""
        ...

    async def __call__(
        self, prompt: str, schema: Mapping[str, object], /, *, hear: Hear | None = None
    ) -> Result[ModelText, WebError]:
        """Return what the model wrote; ``hear`` is told each piece of it as it comes."""
        ...


class ModelText(msgspec.Struct, frozen=True, kw_only=True):
    """What a model wrote, and what it took; ``cut`` says why it stopped before its end."""

    text: str
    usage: Usage | None = None
    cut: str = ""


class AskArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question for an answer with sources, and where to look for it."""

    question: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    max_pages: Annotated[int, Meta(ge=1, le=12)] = 6
    include_domains: tuple[Domain, ...] = ()
    exclude_domains: tuple[Domain, ...] = ()
