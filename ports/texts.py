"""Full texts that were shown in part: kept under a handle, so that nothing is lost."""

from typing import Protocol

from returns.result import Result

from .errors import WebError


class TextStore(Protocol):
    """Something that keeps texts."""

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Keep ``text`` and return the handle to ask for it. The same text has the same handle."""
        ...

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; one that is not there is ``InvalidQuery``."""
        ...
