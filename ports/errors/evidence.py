"""A question was asked, and nothing that was read carries an answer."""

from typing import ClassVar, Literal, TypeAlias

from .error_fields import STOP, ErrorFields, Facts, detail_text

NothingReason: TypeAlias = Literal[
    "no_results", "no_pages", "no_passages", "no_claims", "unsupported"
]
_WHY: dict[NothingReason, str] = {
    "no_results": "the search found nothing",
    "no_pages": "none of the pages could be read",
    "no_passages": "nothing on the pages has to do with the question",
    "no_claims": "nothing on the pages answers the question",
    "unsupported": "no claim of the answer stood its check",
}


class NothingSupported(ErrorFields, frozen=True, kw_only=True, tag="nothing_supported"):
    """No claim is left that a page carries, so that there is no answer.

    ``unsupported`` are the claims that failed, each with its reason; ``tried`` are pages that could
    not be read, each with the kind of its failure.
    """

    reason: NothingReason
    unsupported: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed",
        refusal="unreadable",
        verdict=STOP,
        remedy="Ask in other words, or for more pages; `webseam search` shows what there is.",
    )

    @property
    def message(self) -> str:
        """Say at which step the answer was lost."""
        details = "; ".join((*self.unsupported, *self.tried)[:_MAX_DETAILS])
        return f"There is no answer with sources: {_WHY[self.reason]}{detail_text(details)}."


_MAX_DETAILS = 5


Kinds: TypeAlias = NothingSupported

__all__ = ["NothingSupported"]
