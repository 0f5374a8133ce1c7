"""The caller's side: the call was wrong, or webseam is not set up for it."""

from typing import ClassVar, TypeAlias

from msgspec.structs import replace

from .error_fields import (
    ADD_A_SERVICE,
    LIST_MODELS,
    NEXT,
    SETTINGS,
    STOP,
    ErrorFields,
    Facts,
    end_sentence,
)


class InvalidQuery(ErrorFields, frozen=True, kw_only=True, tag="invalid_query"):
    """The request was refused before any backend saw it; ``field`` says which part."""

    field: str
    reason: str

    usual: ClassVar[Facts] = Facts(exit="bad_input", refusal="invalid", verdict=STOP)

    @property
    def message(self) -> str:
        """Name the field and the rule it broke."""
        return end_sentence(f"{self.field}: {self.reason}")


class InvalidUrl(ErrorFields, frozen=True, kw_only=True, tag="invalid_url"):
    """What was given is not a usable http or https URL."""

    reason: str

    usual: ClassVar[Facts] = Facts(exit="bad_input", refusal="invalid", verdict=STOP)

    @property
    def message(self) -> str:
        """Say what is wrong with the URL."""
        return f"Not a usable URL: {self.reason}."


class NotConfigured(ErrorFields, frozen=True, kw_only=True, tag="not_configured"):
    """Something is not set up; to set any one of ``settings``, by name, mends it.

    ``remedy`` is a whole sentence, for when it takes more than to set one of them.
    """

    reason: str
    settings: tuple[str, ...] = ()
    remedy: str = ""

    usual: ClassVar[Facts] = Facts(exit="not_configured", refusal="unavailable", verdict=NEXT)

    @property
    def message(self) -> str:
        """Say what is missing and what mends it."""
        plain = f"Set {' or '.join(self.settings)}." if self.settings else ""
        return f"{self.reason}. {self.remedy or plain}".rstrip()


class InvalidSetting(ErrorFields, frozen=True, kw_only=True, tag="invalid_setting"):
    """A setting is there but cannot be used; ``place`` is where it stands, e.g. file and line."""

    setting: str
    place: str
    reason: str

    usual: ClassVar[Facts] = Facts(
        exit="not_configured", refusal="unavailable", verdict=STOP, remedy=SETTINGS
    )

    @property
    def message(self) -> str:
        """Say where, which setting, and what is wrong with it."""
        # An argument's place ends in the setting's name: it is said once.
        named = self.place.rpartition(" ")[2] == self.setting
        where = self.place if named else f"{self.place}: {self.setting}"
        return f"{where}: {self.reason}."


class UnsupportedCapability(ErrorFields, frozen=True, kw_only=True, tag="unsupported_capability"):
    """The backend cannot do this at all, e.g. a search-only service asked to extract.

    ``place`` is the setting that named it, if one did.
    """

    capability: str
    capable: tuple[str, ...] = ()
    place: str = ""

    usual: ClassVar[Facts] = Facts(
        exit="bad_input", refusal="unsupported", verdict=NEXT, remedy=ADD_A_SERVICE
    )

    @property
    def facts(self) -> Facts:
        """It stands in the settings, and not on the command line."""
        return replace(self.usual, exit="not_configured") if self.place else self.usual

    @property
    def message(self) -> str:
        """Say who cannot, and who can."""
        others = f" These can: {', '.join(self.capable)}." if self.capable else ""
        why = " is search-only and" if self.capability == "extract" else ""
        where = f"{self.place}: " if self.place else ""
        return f"{where}{self.who}{why} cannot {self.capability}.{others}"


class UnsupportedFilter(ErrorFields, frozen=True, kw_only=True, tag="unsupported_filter"):
    """The backend cannot honour filters that were asked for; ``filters`` names them all."""

    filters: tuple[str, ...]

    usual: ClassVar[Facts] = Facts(exit="bad_input", refusal="unsupported", verdict=NEXT)

    @property
    def message(self) -> str:
        """Name the filters, and the way to go on without them."""
        named = ", ".join(self.filters)
        way = 'ask with filters="best-effort" (--best-effort)'
        return f"{self.who} cannot filter by {named}. Leave it out, or {way}."


class UnknownBackend(ErrorFields, frozen=True, kw_only=True, tag="unknown_backend"):
    """A backend was named that does not exist; ``capable`` are those that could do the task.

    ``near`` is one that is spelled like it, ``place`` the setting that named it, if one did.
    """

    name: str
    capable: tuple[str, ...] = ()
    near: str = ""
    place: str = ""

    usual: ClassVar[Facts] = Facts(
        exit="bad_input", refusal="invalid", verdict=STOP, remedy=ADD_A_SERVICE
    )

    @property
    def facts(self) -> Facts:
        """It stands in the settings, and not on the command line."""
        return replace(self.usual, exit="not_configured") if self.place else self.usual

    @property
    def message(self) -> str:
        """Repeat the name, and say which one was meant, or list those there are."""
        others = f" There are: {', '.join(self.capable)}." if self.capable else ""
        if self.near:
            others = f" Did you mean {self.near}?"
        where = f"{self.place}: " if self.place else ""
        return f"{where}There is no backend {self.name!r}.{others}"


class UnknownProvider(ErrorFields, frozen=True, kw_only=True, tag="unknown_provider"):
    """No provider of models goes by this name; ``near`` are some that are spelled like it."""

    name: str
    near: tuple[str, ...] = ()

    usual: ClassVar[Facts] = Facts(
        exit="bad_input", refusal="invalid", verdict=STOP, remedy=LIST_MODELS
    )

    @property
    def message(self) -> str:
        """Name it, and those that may have been meant."""
        hint = f"Did you mean {self.near[0]}?" if self.near else "`webseam models` lists them."
        return f"No provider of models is called {self.name!r}. {hint}"


Kinds: TypeAlias = (
    InvalidQuery
    | InvalidUrl
    | NotConfigured
    | InvalidSetting
    | UnsupportedCapability
    | UnsupportedFilter
    | UnknownBackend
    | UnknownProvider
)

__all__ = [
    "InvalidQuery",
    "InvalidSetting",
    "InvalidUrl",
    "NotConfigured",
    "UnknownBackend",
    "UnknownProvider",
    "UnsupportedCapability",
    "UnsupportedFilter",
]
