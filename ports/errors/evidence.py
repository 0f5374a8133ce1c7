"""Errors of answers with sources."""

from typing import Literal, TypeAlias

from .error_fields import STOP, ErrorFields, Facts, Foreign, detail_text, make_remedy

NothingReason: TypeAlias = Literal[
    "no_results", "no_pages", "no_passages", "no_claims", "unsupported"
]
_REASON_TEXTS: dict[NothingReason, str] = {
    "no_results": "the search found nothing",
    "no_pages": "none of the pages could be read",
    "no_passages": "nothing on the pages is about the question",
    "no_claims": "nothing on the pages answers the question",
    "unsupported": "no quote of the answer could be used",
}
_MAX_DETAILS = 5


class NothingSupported(ErrorFields, frozen=True, kw_only=True, tag="nothing_supported"):
    """No sentence of a page answers, so there is no answer.

    ``unsupported`` has the reasons why a model's claims were left out; ``tried`` are pages that
    could not be read, each with its error's kind.
    """

    reason: NothingReason
    unsupported: tuple[str, ...] = ()
    tried: tuple[Foreign, ...] = ()

    usual = Facts(
        refusal="unreadable",
        verdict=STOP,
        remedy=make_remedy(
            "Ask in other words, or for more pages; `webseam search` shows what there is.",
            http="Ask in other words, or for more pages.",
            mcp="Ask in other words, or with more max_pages; web_search shows what there is.",
        ),
    )

    def _sentence(self) -> str:
        details = "; ".join((*self.unsupported, *self.tried)[:_MAX_DETAILS])
        why = f"{_REASON_TEXTS[self.reason]}{detail_text(details)}"
        return f"No claim could be verified against the pages: {why}."


Kinds: TypeAlias = NothingSupported

__all__ = ["NothingSupported"]
