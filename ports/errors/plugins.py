"""A plugin's side: it said no, or it failed where it must not."""

from .trouble import Trouble, tail


class CallRefused(Trouble, frozen=True, kw_only=True, tag="call_refused"):
    """A plugin, or the person it asked, did not let the call through. Nothing was sent."""

    by: str
    reason: str

    @property
    def message(self) -> str:
        """Say who refused, and why."""
        return f"Refused by {self.by}{tail(self.reason)}."


class MiddlewareFailed(Trouble, frozen=True, kw_only=True, tag="middleware_failed"):
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

    @property
    def message(self) -> str:
        """Name the plugin, what it did, and what came before."""
        place = f" at {self.where}" if self.where else ""
        before = f" after {self.cause}" if self.cause else ""
        detail = tail(self.detail.rstrip("."))
        return (
            f"The plugin {self.plugin} failed in {self.stage}{before}: {self.error}{place}{detail}."
        )
