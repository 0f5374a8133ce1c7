"""An answer for people, with footnotes; and as the envelope that tools answer with."""

from __future__ import annotations

import msgspec
from returns.result import Failure, Result

from ...ports.errors import WebError
from ...ports.evidence import AskOutcome, Claim, Doubt, Quote
from ..envelopes import failure_envelope
from ..text.display import one_line, visible

_MOST_OF_A_QUOTE = 300
_DOUBTS: dict[Doubt, str] = {
    "paraphrase": "other words than the quote's",
    "order": "other order of words: who did what cannot be told",
    "hedge": "the quote is less certain",
    "denials": "the quote denies more or less",
}


def answer_text(outcome: AskOutcome) -> str:
    """Return the answer as paragraphs with numbers, and the quotes under them."""
    sources = _sources(outcome)
    lines = [_line(claim, sources) for claim in outcome.claims]
    if outcome.extractive:
        lines.append("(No model wrote this: these are sentences of the pages.)")
    lines += [f"[{number}] {_footnote(quote)}" for quote, number in sources.items()]
    if outcome.missing:
        lines.append(f"Not on these pages: {one_line(outcome.missing)}")
    if outcome.unsupported:
        lines.append(
            "Left out, for want of support:\n"
            + "\n".join(f"- {one_line(it.text)} ({it.reason})" for it in outcome.unsupported)
        )
    return "\n\n".join(lines)


def _sources(outcome: AskOutcome) -> dict[Quote, int]:
    quotes = dict.fromkeys(quote for claim in outcome.claims for quote in claim.quotes)
    return {quote: number for number, quote in enumerate(quotes, 1)}


def _line(claim: Claim, sources: dict[Quote, int]) -> str:
    marks = "".join(f"[{sources[quote]}]" for quote in claim.quotes)
    doubts = ", ".join(_DOUBTS[doubt] for doubt in claim.support.doubts)
    open_ = f" (not certain: {doubts})" if claim.support.verdict == "weak" else ""
    return f"{one_line(claim.text, 600)} {marks}{open_}"


def _footnote(quote: Quote) -> str:
    words = one_line(quote.text, _MOST_OF_A_QUOTE)
    title = f"{one_line(quote.title)}, " if quote.title else ""
    return f"\u201c{words}\u201d\n    {title}{quote.url}, read {quote.read_on}"


def ask_envelope(result: Result[AskOutcome, WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"answer", "claims", ...}}`` or the failure envelope."""
    if isinstance(result, Failure):
        return failure_envelope(result.failure())
    outcome = result.unwrap()
    data: dict[str, object] = {
        "answer": answer_text(outcome),
        "claims": [_claim_entry(claim) for claim in outcome.claims],
        "unsupported": msgspec.to_builtins(outcome.unsupported),
        "missing": visible(outcome.missing),
        "extractive": outcome.extractive,
    }
    return {"success": True, "data": data, "receipt": msgspec.to_builtins(outcome.receipt)}


def _claim_entry(claim: Claim) -> dict[str, object]:
    quotes = [
        {**msgspec.structs.asdict(quote), "text": visible(quote.text)} for quote in claim.quotes
    ]
    return {
        "text": visible(claim.text),
        "quotes": quotes,
        "support": msgspec.to_builtins(claim.support),
    }
