"""Errors of files, shared stores and documents."""

from typing import ClassVar, Literal, TypeAlias

from msgspec.structs import replace

from .error_fields import LATER, NEXT, STOP, ErrorFields, Facts, make_remedy, seconds_text

_INDEX_REMEDY = make_remedy(
    "`webseam index add PATH_OR_URL` makes an index of your own documents.",
    http="Ask the operator of the gateway to make it.",
    mcp="Tell the user that `webseam index add` makes an index of documents.",
)

StoreProblem: TypeAlias = Literal[
    "missing",
    "corrupt",
    "emptied",
    "foreign",
    "newer",
    "older",
    "read_only",
    "full",
    "unreachable",
    "closed",
    "removed",
]


class StoreFailed(ErrorFields, frozen=True, kw_only=True, tag="store_failed"):
    """A local file cannot be used: full disk, no permission, foreign or damaged.

    Nothing was overwritten. ``setting`` chooses another file. The path is left out: errors travel
    further than paths should.
    """

    store: str
    reason: str
    problem: StoreProblem = "unreachable"
    setting: str = ""

    usual = Facts(refusal="unavailable", verdict=NEXT)

    @property
    def facts(self) -> Facts:
        """A store that does not exist yet only has to be created."""
        if self.problem != "missing":
            return self.usual
        return replace(self.usual, exit="not_configured", remedy=_INDEX_REMEDY)

    def _sentence(self) -> str:
        if self.problem == "missing":
            return f"There are no {self.store} yet."
        location = f" Its location is set by {self.setting}." if self.setting else ""
        return f"The store of {self.store} cannot be used: {self.reason}.{location}"


class StoreBusy(ErrorFields, frozen=True, kw_only=True, tag="store_busy"):
    """Other processes held the file for the whole waiting time."""

    store: str
    waited: float

    retryable: ClassVar[bool] = True
    usual = Facts(refusal="busy", verdict=NEXT, remedy=LATER)

    def _sentence(self) -> str:
        return f"Another process held the store of {self.store} for {seconds_text(self.waited)}."


class StoreAway(ErrorFields, frozen=True, kw_only=True, tag="store_away"):
    """A shared server does not answer or denies access.

    ``setting`` has its address. The address is left out: it may contain a password.
    """

    store: str
    setting: str

    retryable: ClassVar[bool] = True
    usual = Facts(
        refusal="unavailable",
        verdict=NEXT,
        remedy=make_remedy(
            "`webseam doctor` tells whether it answers; calls go on by themselves when it does.",
            "Calls go on by themselves when it answers.",
        ),
    )

    def _sentence(self) -> str:
        return (
            f"The store of {self.store} is unavailable: its server does not answer or denies"
            f" access. Its address is set by {self.setting}."
        )


class SourceUnreadable(ErrorFields, frozen=True, kw_only=True, tag="source_unreadable"):
    """The file has no text that can be read."""

    reason: str

    usual = Facts(exit="bad_input", refusal="invalid", verdict=STOP)

    def _sentence(self) -> str:
        return f"Not readable: {self.reason}."


Kinds: TypeAlias = StoreFailed | StoreBusy | StoreAway | SourceUnreadable

__all__ = ["SourceUnreadable", "StoreAway", "StoreBusy", "StoreFailed"]
