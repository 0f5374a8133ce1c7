"""Errors of plugins: a refusal, or a failure that stops the call."""

from typing import TypeAlias

from .error_fields import STOP, THEIR_BUG, ErrorFields, Facts, Foreign, end_sentence, seconds_text


class CallRefused(ErrorFields, frozen=True, kw_only=True, tag="call_refused"):
    """A plugin, a person, a robots.txt or a limit of a run refused the call. Nothing was sent."""

    by: str
    reason: Foreign

    usual = Facts(exit="refused", refusal="forbidden", verdict=STOP)

    def _sentence(self) -> str:
        return end_sentence(f"Refused by {self.by}", self.reason)


class MiddlewareFailed(ErrorFields, frozen=True, kw_only=True, tag="middleware_failed"):
    """A middleware failed, and the call cannot continue without it.

    ``error`` is the exception's type or the problem, ``where`` its line, and ``cause`` the kind of
    an earlier error that the middleware received, if any.
    """

    plugin: str
    stage: str
    error: str
    detail: Foreign = ""
    where: str = ""
    cause: str = ""

    usual = Facts(verdict=STOP, remedy=THEIR_BUG)

    def _sentence(self) -> str:
        where = f" at {self.where}" if self.where else ""
        before = f" after {self.cause}" if self.cause else ""
        return end_sentence(
            f"The plugin {self.plugin} failed in {self.stage}{before}: {self.error}{where}",
            self.detail,
        )


class PluginTimedOut(ErrorFields, frozen=True, kw_only=True, tag="plugin_timed_out"):
    """A plugin's callback exceeded its time limit, and the call cannot continue without it.

    Time spent waiting for ``next_call`` does not count.
    """

    plugin: str
    stage: str
    seconds: float

    usual = Facts(verdict=STOP, remedy=THEIR_BUG)

    def _sentence(self) -> str:
        limit = seconds_text(self.seconds)
        return (
            f"The plugin {self.plugin} took longer than {limit} in {self.stage}. "
            "plugins.timeout sets how long a callback may take."
        )


Kinds: TypeAlias = CallRefused | MiddlewareFailed | PluginTimedOut

__all__ = ["CallRefused", "MiddlewareFailed", "PluginTimedOut"]
