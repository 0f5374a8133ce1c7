"""Render an answer as text with footnotes, and as the envelope that tools return."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, WebError
from webseam.ports.evidence import AskOutcome, AskStep, AskStepName, Claim, Doubt, Quote, Support

from ...boundary import attempt_call
from ...envelopes import envelope_mapping, failure_envelope
from ...text.display import one_line, quote_value, strip_hidden, strip_hidden_values
from ...urls.spelling import is_web_url

_MAX_QUOTE_CHARS = 300
_DOUBT_TEXTS: dict[Doubt, str] = {
    "cut": "the page's sentence says more",
    "changed": "the page has other words",
    "taken_back": "the page seems to deny it nearby",
}
_MAX_CHANGES_SHOWN = 2
_STEP_TEXTS: dict[AskStepName, str] = {
    "plan": "Planning queries", "search": "Searching for {}", "page": "Reading {}",
    "read": "Read {}", "passages": "Picked {} passages", "answer": "The model answers",
    "check": "Checking {} claims", "repair": "Asking once more for {} claims",
    "claim": "Checked: {}",
}  # fmt: skip


class Footnotes:
    """The quotes of an answer, numbered by claim; ``format_url`` formats a page's address."""

    def __init__(self, format_url: Callable[[str], str] = str) -> None:
        self._format_url = format_url
        self._numbers: dict[Quote, int] = {}

    def claim_line(self, claim: Claim) -> str:
        """Return a claim as a line, with the numbers of its quotes."""
        for quote in claim.quotes:
            self._numbers.setdefault(quote, len(self._numbers) + 1)
        marks = "".join(f"[{self._numbers[quote]}]" for quote in claim.quotes)
        return f"{one_line(claim.text, 600)} {marks}{_doubt_text(claim.support)}"

    def note_lines(self) -> list[str]:
        """Return the footnotes under the answer."""
        return [
            f"[{number}] {_footnote_text(quote, self._format_url(quote.url))}"
            for quote, number in self._numbers.items()
        ]


class Answer(AskOutcome, frozen=True, kw_only=True):
    """An answer that prints as text with its sources."""

    @property
    def text(self) -> str:
        """The claims, and the quotes with their pages under them."""
        return answer_text(self)

    def _repr_html_(self) -> str:
        notes = Footnotes()
        claims = [f"<p>{escape(notes.claim_line(claim))}</p>" for claim in self.claims]
        under = [f"<small>{escape(line)}</small>" for line in under_claims(self, notes)]
        return "\n".join([*claims, "<br>\n".join(under)])


def _doubt_text(support: Support) -> str:
    if support.verdict != "weak":
        return ""
    changes = [
        f"the page has \u201c{one_line(page, 60)}\u201d, not \u201c{one_line(claim, 60)}\u201d"
        for page, claim in support.changes
        if page and claim
    ]
    doubts = [_DOUBT_TEXTS[doubt] for doubt in support.doubts]
    return f" (not certain: {'; '.join(changes[:_MAX_CHANGES_SHOWN] or doubts)})"


def answer_text(outcome: AskOutcome, quote_location: Callable[[str], str] = str) -> str:
    """Return the answer as numbered paragraphs, and the quotes under them."""
    notes = Footnotes(quote_location)
    lines = [notes.claim_line(claim) for claim in outcome.claims]
    return "\n\n".join([*lines, *under_claims(outcome, notes)])


def under_claims(outcome: AskOutcome, notes: Footnotes) -> list[str]:
    """Return the lines after the claims: quotes, what is missing, and rejected claims."""
    lines = notes.note_lines()
    if outcome.extractive:
        lines.insert(0, "(No model wrote this: these are sentences of the pages.)")
    if outcome.receipt.broke_off and outcome.extractive:
        lines.insert(0, "(The model gave no answer that holds.)")
    elif outcome.receipt.broke_off:
        lines.insert(0, "(The model broke off: these are the claims that it had finished.)")
    if outcome.missing:
        lines.append(f"No claim speaks of: {one_line(outcome.missing)}")
    if outcome.unsupported:
        left_out = [f"- {one_line(claim.text)} ({claim.reason})" for claim in outcome.unsupported]
        lines.append("\n".join(["Left out, because the pages do not support it:", *left_out]))
    return lines


def _footnote_text(quote: Quote, location: str) -> str:
    text = one_line(quote.text, _MAX_QUOTE_CHARS)
    heading = quote.heading.removeprefix(quote.title).removeprefix(" / ")
    page = ""
    if quote.page_number is not None:
        heading = heading.removeprefix(f"Page {quote.page_number}").removeprefix(" / ")
        page = f", page {quote.page_number}"
    names = " / ".join(one_line(name) for name in (quote.title, heading) if name)
    title = f"{names}, " if names else ""
    return f"\u201c{text}\u201d\n    {title}{location}{page}, read {quote.read_on}"


def ask_envelope(result: Result[AskOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"answer", "claims", ...}}`` or the failure envelope."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    outcome = result.unwrap()
    data: dict[str, object] = {
        "answer": answer_text(outcome),
        "claims": [claim_entry(claim) for claim in outcome.claims],
        "unsupported": msgspec.to_builtins(outcome.unsupported),
        "missing": strip_hidden(outcome.missing),
        "extractive": outcome.extractive,
    }
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(outcome.receipt)}


def check_replaced_answer(envelope: dict[str, object]) -> Result[dict[str, object], WebError]:
    """Return the envelope of a plugin if each of its claims has quotes, with the URLs of pages."""
    data = envelope_mapping(envelope.get("data"))
    claims = attempt_call(lambda: msgspec.convert(data.get("claims"), list[Claim])).value_or(None)
    if isinstance(data.get("answer"), str) and claims is not None and all(map(_is_quoted, claims)):
        return Success(envelope_mapping(strip_hidden_values(envelope)))
    detail = f"expected an answer with quoted claims, got {quote_value(envelope.get('data'))}"
    return Failure(BadPayload(problem="shape", path="$.data", detail=detail))


def _is_quoted(claim: Claim) -> bool:
    has_quotes = claim.quotes != () and all(is_web_url(quote.url) for quote in claim.quotes)
    return has_quotes and claim.support.verdict != "refused"


def step_text(step: AskStep, mark: Callable[[str], str] = one_line) -> str:
    """Describe a step in words; ``mark`` shows a query or an address of the other side."""
    is_count = step.detail.isdecimal()
    return _STEP_TEXTS[step.step].format(step.detail if is_count else mark(step.detail))


def step_event(step: AskStep) -> tuple[str, dict[str, object]]:
    """Return a step as an event: ``claim`` with the checked claim, or ``step`` with its name."""
    if step.claim is not None:
        return "claim", claim_entry(step.claim)
    return "step", {"step": step.step, "detail": strip_hidden(step.detail)}


def claim_entry(claim: Claim) -> dict[str, object]:
    """Return a claim as a JSON object."""
    quotes = [
        {**msgspec.structs.asdict(quote), "text": strip_hidden(quote.text)}
        for quote in claim.quotes
    ]
    return {
        "text": strip_hidden(claim.text),
        "quotes": quotes,
        "support": msgspec.to_builtins(claim.support),
        **({"written": strip_hidden(claim.written)} if claim.written else {}),
    }
