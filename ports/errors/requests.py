"""Errors of requests: an invalid call, or a missing configuration."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec.structs import replace

from .error_fields import (
    ADD_A_SERVICE,
    LIST_MODELS,
    NEXT,
    SETTINGS,
    STOP,
    ErrorFields,
    Facts,
    Remedy,
    end_sentence,
    make_remedy,
)

_PAGE_REMEDY = make_remedy(
    "Ask for an earlier page, for fewer rows on each, or another backend: `webseam backends`.",
    http="Ask for an earlier page, or for fewer rows on each.",
)


class InvalidQuery(ErrorFields, frozen=True, kw_only=True, tag="invalid_query"):
    """The request was refused before any backend saw it; ``field`` says which part."""

    field: str
    reason: str

    usual = Facts(exit="bad_input", refusal="invalid", verdict=STOP)

    def _sentence(self) -> str:
        return end_sentence(f"{self.field}: {self.reason}")


class InvalidUrl(ErrorFields, frozen=True, kw_only=True, tag="invalid_url"):
    """The given text is not a usable http or https URL."""

    reason: str

    usual = Facts(exit="bad_input", refusal="invalid", verdict=STOP)

    def _sentence(self) -> str:
        return f"Not a usable URL: {self.reason}."


class NotConfigured(ErrorFields, frozen=True, kw_only=True, tag="not_configured"):
    """Something is not configured; setting any one of ``settings`` fixes it.

    ``remedy`` is a full sentence for the user, for when that is not enough.
    """

    reason: str
    settings: tuple[str, ...] = ()
    remedy: str = ""

    usual = Facts(exit="not_configured", refusal="unavailable", verdict=NEXT)

    @property
    def facts(self) -> Facts:
        """Others than the user have to ask for it; the message tells the user what to do."""
        settings = " or ".join(self.settings)
        http = f"Ask the operator of the gateway to set {settings or 'it up'}."
        mcp = f"Tell the user to {f'set {settings}' if settings else 'run `webseam doctor`'}."
        return replace(self.usual, remedy=Remedy(http=http, mcp=mcp))

    def _sentence(self) -> str:
        advice = f"Set {' or '.join(self.settings)}." if self.settings else ""
        return f"{self._problem()} {self.remedy or advice}".rstrip()

    def _problem(self) -> str:
        return f"{self.reason}."


class InvalidSetting(ErrorFields, frozen=True, kw_only=True, tag="invalid_setting"):
    """A setting cannot be used; ``place`` is where it is written, e.g. file and line."""

    setting: str
    place: str
    reason: str

    usual = Facts(exit="not_configured", refusal="unavailable", verdict=STOP, remedy=SETTINGS)

    def _sentence(self) -> str:
        # The place of a command-line argument ends in the setting's name: do not repeat it.
        is_named = self.place.rpartition(" ")[2] == self.setting
        where = self.place if is_named else f"{self.place}: {self.setting}"
        return f"{where}: {self.reason}."


class UnsupportedCapability(ErrorFields, frozen=True, kw_only=True, tag="unsupported_capability"):
    """The backend lacks the capability, e.g. a search-only service that should extract.

    ``place`` is the setting that names the backend, if one does.
    """

    capability: str
    capable: tuple[str, ...] = ()
    place: str = ""

    usual = Facts(exit="bad_input", refusal="unsupported", verdict=NEXT, remedy=ADD_A_SERVICE)

    @property
    def facts(self) -> Facts:
        """If a setting names the backend, the configuration is at fault, not the command line."""
        return replace(self.usual, exit="not_configured") if self.place else self.usual

    def _sentence(self) -> str:
        others = f" These can: {', '.join(self.capable)}." if self.capable else ""
        why = " is search-only and" if self.capability == "extract" else ""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.who}{why} cannot {self.capability}.{others}"


class UnsupportedFilter(ErrorFields, frozen=True, kw_only=True, tag="unsupported_filter"):
    """The backend does not support some requested filters; ``filters`` names them all.

    ``values`` has those that it supports with other values. It would support them with these
    values without the filters ``beside``, or together with ``needs``. ``backends`` lists several
    backends of a route, if none of them was asked. An ``undeclared`` backend declares no filter.
    """

    filters: tuple[str, ...]
    values: Mapping[str, str] = {}
    beside: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    undeclared: bool = False

    usual = Facts(
        exit="bad_input",
        refusal="unsupported",
        verdict=NEXT,
        remedy=make_remedy(
            "Leave it out, add --best-effort, or choose another backend: `webseam backends`.",
            python='Leave it out, or ask with filters="best-effort".',
            http="Leave it out.",
        ),
    )

    def _sentence(self) -> str:
        if not self.undeclared:
            return self._problem()
        # Only who wrote the backend can declare what it does.
        abilities = ", ".join(f'"{name}": "native"' for name in self.filters)
        advice = f"If it can, declare `Abilities(filters={{{abilities}}})` in its `about`."
        return f"{self._problem()} {advice}"

    @property
    def facts(self) -> Facts:
        """Without its page, a search would be another one."""
        return replace(self.usual, remedy=_PAGE_REMEDY) if "page" in self.filters else self.usual

    def _problem(self) -> str:
        if "page" in self.filters:
            page = f"page {self.values.get('page', '')}".strip()
            who = (
                f"None of {', '.join(self.backends)} has" if self.backends else f"{self.who} has no"
            )
            return f"{who} {page} of this search."
        filters = (f"{name} {self.values.get(name, '')}".strip() for name in self.filters)
        who = f"None of {', '.join(self.backends)} can" if self.backends else f"{self.who} cannot"
        beside = f" together with {', '.join(self.beside)}" if self.beside else ""
        needs = f" without {', '.join(self.needs)}" if self.needs else ""
        return f"{who} filter by {', '.join(filters)}{beside}{needs}."


class UnknownBackend(ErrorFields, frozen=True, kw_only=True, tag="unknown_backend"):
    """A backend of that name does not exist; ``capable`` are those that can do the task.

    ``near`` has a similar spelling; ``place`` is the setting that names the backend, if one does.
    """

    name: str
    capable: tuple[str, ...] = ()
    near: str = ""
    place: str = ""

    usual = Facts(exit="bad_input", refusal="invalid", verdict=STOP, remedy=ADD_A_SERVICE)

    @property
    def facts(self) -> Facts:
        """If a setting names the backend, the configuration is at fault, not the command line."""
        advice = Remedy() if self.near else self.usual.remedy
        exit_name = "not_configured" if self.place else self.usual.exit
        return replace(self.usual, exit=exit_name, remedy=advice)

    def _sentence(self) -> str:
        listed = f" There are: {', '.join(self.capable)}." if self.capable else ""
        others = f" Did you mean {self.near}?" if self.near else listed
        where = f"{self.place}: " if self.place else ""
        return f"{where}There is no backend {self.name!r}.{others}"


class UnknownProvider(ErrorFields, frozen=True, kw_only=True, tag="unknown_provider"):
    """No model provider has this name; ``near`` are similar names."""

    name: str
    near: tuple[str, ...] = ()

    usual = Facts(exit="bad_input", refusal="invalid", verdict=STOP, remedy=LIST_MODELS)

    def _sentence(self) -> str:
        hint = f" Did you mean {self.near[0]}?" if self.near else ""
        return f"No provider of models is called {self.name!r}.{hint}"


class CheckFailed(ErrorFields, frozen=True, kw_only=True, tag="check_failed"):
    """What a command was asked to check is not in order; ``problem`` says what."""

    problem: str

    usual = Facts(verdict=STOP)

    def _sentence(self) -> str:
        return self.problem or "What was checked is not in order."


Kinds: TypeAlias = (
    InvalidQuery
    | InvalidUrl
    | NotConfigured
    | InvalidSetting
    | UnsupportedCapability
    | UnsupportedFilter
    | UnknownBackend
    | UnknownProvider
    | CheckFailed
)

__all__ = [
    "CheckFailed",
    "InvalidQuery",
    "InvalidSetting",
    "InvalidUrl",
    "NotConfigured",
    "UnknownBackend",
    "UnknownProvider",
    "UnsupportedCapability",
    "UnsupportedFilter",
]
