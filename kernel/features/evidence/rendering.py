"""Render an answer as text with footnotes, and as the envelope that tools return."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import NamedTuple

import msgspec
from returns.result import Failure, Result

from webseam.ports.errors import WebError
from webseam.ports.evidence import AskOutcome, AskStep, AskStepName, Claim

from ...envelopes import failure_envelope
from ...text.display import one_line, strip_hidden
from .claims import COLONS, HEADING_MARK
from .printing import print_code
from .sentences import ends_with_stop

# What is longer stands in the frame of the value alone.
_MAX_HEADINGS_CHARS, _MAX_LINE_CHARS, _MAX_NEIGHBOUR_CHARS = 160, 200, 60
_STEP_TEXTS: dict[AskStepName, str] = {
    "plan": "Planning queries", "search": "Searching for {}", "page": "Reading {}",
    "read": "Read {}", "passages": "Picked {} passages", "answer": "The model answers",
    "check": "Checking {} claims", "repair": "Asking once more for {} claims",
    "claim": "Found: {}",
}  # fmt: skip


SUMMARY_MARK = "In the model's own words, which nothing checked:"


class FramedClaim(NamedTuple):
    """A claim as it is shown: the short parts of its frame stand before and after its text."""

    before: str
    text: str
    after: str


class Footnotes:
    """The pages of an answer, numbered by claim; ``format_url`` formats a page's address."""

    def __init__(self, format_url: Callable[[str], str] = str) -> None:
        self._format_url = format_url
        self._numbers: dict[str, int] = {}

    def claim_parts(self, claim: Claim) -> FramedClaim:
        """Return a claim with the short parts of its frame, and the number of its page."""
        number = self._numbers.setdefault(self._source_line(claim), len(self._numbers) + 1)
        before, text, after = frame_claim(claim)
        return FramedClaim(before, text, f"{after} [{number}]")

    def claim_line(self, claim: Claim) -> str:
        """Return the same as text."""
        return "".join(self.claim_parts(claim))

    def note_lines(self) -> list[str]:
        """Return the pages under the answer."""
        lines = [f"[{number}] {line}" for line, number in self._numbers.items()]
        return ["\n".join(lines)] if lines else []

    def _source_line(self, claim: Claim) -> str:
        title = one_line(claim.frame.title, _MAX_LINE_CHARS)
        page = "" if claim.page_number is None else f", page {claim.page_number}"
        location = f"{self._format_url(claim.frame.url)}{page}, read {claim.read_on}"
        # A title and an address may be markup together.
        return print_code(f"{title}, {location}" if title else location)


def frame_claim(claim: Claim) -> FramedClaim:
    """Return a claim as a person reads it: under its headings, behind the line above it."""
    frame, text = claim.frame, claim.text
    if claim.kind == "rows" and frame.header:
        text = name_columns(frame.header, text)
    is_shown = frame.before != frame.intro and _is_shown_neighbour(frame.before, claim)
    before = f"({frame.before}) " if is_shown else ""
    after = f" ({frame.after})" if _is_shown_neighbour(frame.after, claim) else ""
    for line in (frame.section, *reversed(frame.parents), frame.intro, frame.caption):
        if 0 < len(line) <= _MAX_LINE_CHARS:
            is_ended = line.endswith(COLONS) or ends_with_stop(line)
            before = f"{line} {before}" if is_ended else f"{line}: {before}"
    headings = _short_headings(claim)
    return FramedClaim(f"Under *{headings}*: {before}" if headings else before, text, after)


def framed_text(claim: Claim) -> str:
    """Return the same as text."""
    return "".join(frame_claim(claim))


def _is_shown_neighbour(text: str, claim: Claim) -> bool:
    if not 0 < len(text) <= _MAX_NEIGHBOUR_CHARS or text.startswith(HEADING_MARK):
        return False
    if text.endswith(COLONS):
        # It introduces something else, or is the line above.
        return False
    # Items and rows stand beside others of their kind; a sentence among them may be about them.
    return claim.kind == "sentences" or ends_with_stop(text)


def _short_headings(claim: Claim) -> str:
    """Return the headings above a claim, the innermost ones where all are too long."""
    page = "" if claim.page_number is None else f"Page {claim.page_number}"
    shown = ""
    for heading in reversed([it for it in claim.frame.headings if it not in ("", page)]):
        longer = f"{heading} / {shown}" if shown else heading
        if len(longer) > _MAX_HEADINGS_CHARS:
            break
        shown = longer
    return shown


def name_columns(header: str, row: str) -> str:
    """Return rows of a table with the names of their columns, where each cell has one."""
    names = header.split(" | ")
    lines = [line.split(" | ") for line in row.split(" / ")]
    if any(len(cells) != len(names) for cells in lines):
        return f"{header}: {row}"
    return ". ".join(
        "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True)
        )
        for cells in lines
    )


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


def answer_text(outcome: AskOutcome, quote_location: Callable[[str], str] = str) -> str:
    """Return the claims as paragraphs, their pages, and last a model's summary if there is one."""
    notes = Footnotes(quote_location)
    lines = [notes.claim_line(claim) for claim in outcome.claims]
    return "\n\n".join([*lines, *under_claims(outcome, notes)])


def under_claims(outcome: AskOutcome, notes: Footnotes) -> list[str]:
    """Return the lines after the claims: pages, what is missing, and last a model's summary."""
    lines = notes.note_lines()
    if outcome.receipt.broke_off and outcome.extractive:
        lines.append("(The model gave no answer that holds: no model chose these sentences.)")
    elif outcome.receipt.broke_off:
        lines.append("(The model broke off: these are the claims that it had finished.)")
    elif outcome.extractive:
        lines.append("(No model chose these sentences of the pages.)")
    if outcome.missing:
        lines.append(f"No claim speaks of: {one_line(outcome.missing)}")
    if outcome.unsupported:
        reasons = "; ".join(dict.fromkeys(claim.reason for claim in outcome.unsupported))
        lines.append(f"Left out of the model's answer: {len(outcome.unsupported)} ({reasons}).")
    if outcome.summary:
        lines.append(f"{SUMMARY_MARK} {outcome.summary}")
    return lines


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
        **({"summary": strip_hidden(outcome.summary)} if outcome.summary else {}),
    }
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(outcome.receipt)}


def step_text(step: AskStep, mark: Callable[[str], str] = one_line) -> str:
    """Describe a step in words; ``mark`` shows a query or an address of the other side.

    >>> step_text(AskStep(step="search", detail="tides"))
    'Searching for tides'
    >>> step_text(AskStep(step="plan"))
    'Planning queries'
    """
    is_count = step.detail.isdecimal()
    return _STEP_TEXTS[step.step].format(step.detail if is_count else mark(step.detail))


def step_event(step: AskStep) -> tuple[str, dict[str, object]]:
    """Return a step as an event: ``claim`` with the checked claim, or ``step`` with its name."""
    if step.claim is not None:
        return "claim", claim_entry(step.claim)
    return "step", {"step": step.step, "detail": strip_hidden(step.detail)}


def claim_entry(claim: Claim) -> dict[str, object]:
    """Return a claim as a JSON object."""
    entry: dict[str, object] = msgspec.to_builtins(claim)
    return entry
