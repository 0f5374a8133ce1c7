"""Telling the hooks of a call, all with the same ids."""

from collections.abc import Mapping

from returns.result import Result, Success

from ...kernel.middleware import notify
from ...kernel.middleware.directives import Answers
from ...ports.errors import WebError
from ...ports.middleware import Caller
from .around import Around


class Teller:
    """Tells hooks of one call what happens to it."""

    def __init__(self, around: Around, context: Mapping[str, object], call: Caller) -> None:
        """Tell of the call that ``context`` names."""
        self._around = around
        self._context = context
        self._call = call
        self.session_id = around.session_id
        self.platform = around.platform

    async def tell(self, name: str, event: Mapping[str, object]) -> Result[Answers, WebError]:
        """Tell the hooks called ``name``; a hook that nobody registered costs nothing."""
        hooks = self._around.callbacks.named(name)
        if not hooks:
            return Success(())
        told = await notify(hooks, {**self._context, **event}, self._call, self._around.log)
        return told.map(tuple)
