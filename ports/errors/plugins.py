"""A plugin's side: it said no, or it failed where it must not."""

from typing import ClassVar, TypeAlias

from .error_fields import (
    STOP,
    THEIR_BUG,
    ErrorFields,
    Facts,
    detail_text,
    end_sentence,
    seconds_text,
)


class CallRefused(ErrorFields, frozen=True, kw_only=True, tag="call_refused"):
    """A plugin, the person it asked, a robots.txt or a limit of a run said no. Nothing was sent."""

    by: str
    reason: str

    usual: ClassVar[Facts] = Facts(exit="refused", refusal="forbidden", verdict=STOP)

    @property
    def message(self) -> str:
        """Say who refused, and why."""
        return end_sentence(f"Refused by {self.by}{detail_text(self.reason)}")


class MiddlewareFailed(ErrorFields, frozen=True, kw_only=True, tag="middleware_failed"):
    """A middleware failed and the call could not go on without it.

    ``error`` is the exception's type or what was wrong, ``where`` the line it came from, ``cause``
    the kind of the failure that the middleware was told of, if there was one.
    """

    plugin: str
    stage: str
    error: str
    detail: str = ""
    where: str = ""
    cause: str = ""

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed", refusal="backend", verdict=STOP, remedy=THEIR_BUG
    )

    @property
    def message(self) -> str:
        """Name the plugin, what it did, and what came before."""
        place = f" at {self.where}" if self.where else ""
        before = f" after {self.cause}" if self.cause else ""
        sentence = f"The plugin {self.plugin} failed in {self.stage}{before}: {self.error}{place}"
        return end_sentence(sentence + detail_text(self.detail))


class PluginTimedOut(ErrorFields, frozen=True, kw_only=True, tag="plugin_timed_out"):
    """A plugin's callback took longer than callbacks may, and the call could not go on without it.

    The time that it waits for ``next_call`` is not its own, and does not count.
    """

    plugin: str
    stage: str
    seconds: float

    usual: ClassVar[Facts] = Facts(
        exit="backend_failed", refusal="backend", verdict=STOP, remedy=THEIR_BUG
    )

    @property
    def message(self) -> str:
        """Name the plugin, its time, and the setting that gives it more."""
        limit = seconds_text(self.seconds)
        return (
            f"The plugin {self.plugin} took longer than {limit} in {self.stage}. "
            "plugins.timeout sets how long a callback may take."
        )


Kinds: TypeAlias = CallRefused | MiddlewareFailed | PluginTimedOut

__all__ = ["CallRefused", "MiddlewareFailed", "PluginTimedOut"]
