"""A backend that remembers, and that reads several pages in one call."""

import asyncio
from collections.abc import Sequence
from typing import cast

from returns.result import Failure, Success

from ....ports.backends import Served
from ....ports.errors import BackendCrashed
from .backend import CachedBackend, Outcome


class CachedBatches(CachedBackend):
    """As ``CachedBackend``, for one with ``extract_many``: only unknown pages are asked for."""

    @property
    def batch(self) -> int:
        """How many pages one call takes."""
        return int(getattr(self._backend, "batch", 1))

    async def extract_many(self, urls: Sequence[str], /) -> tuple[Outcome, ...]:
        """Return each page from the cache, or ask for all others at once and remember them."""
        questions = [self.page_question(url) for url in urls]
        found = [await asyncio.to_thread(self.recalled, question) for question in questions]
        unknown = [url for url, known in zip(urls, found, strict=True) if known is None]
        asked = iter(await self._ask(unknown))
        outcomes: list[Outcome] = []
        for question, known in zip(questions, found, strict=True):
            if known is not None:
                outcomes.append(Success(Served(answer=known, cached=True)))
                continue
            answer = next(asked)
            kept = answer
            if isinstance(answer, Success):
                kept = Success(await self.remembered(question, answer.unwrap()))
            outcomes.append(cast("Outcome", kept))
        return tuple(outcomes)

    async def _ask(self, urls: Sequence[str]) -> Sequence[object]:
        if not urls:
            return ()
        answers = tuple(await self._backend.extract_many(urls))  # type: ignore[attr-defined]
        if len(answers) == len(urls):
            return answers
        said = f"returned {len(answers)} outcomes for {len(urls)} pages"
        return (Failure(BackendCrashed(error=said)),) * len(urls)
