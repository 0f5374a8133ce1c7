"""Run transformations of text in workers, and those of tiny texts at once."""

from typing import Final

from returns.result import Result

from webseam.ports.errors import WebError

from ..pages.workers.limits import WorkerLimits
from ..pages.workers.pool import Workers, share_workers
from .table import NAMED_DECODER, TransformName, transform_text

# Markdown costs at most 15 microseconds a character, as a list of empty items does: 6 ms for these,
# which is less than a new worker takes. Their output is bounded like that of longer ones.
MAX_TINY_CHARS: Final = 400
# Plain prose takes a microsecond a character, and a page has at most ten million.
_LIMITS: Final = WorkerLimits(cpu_seconds=5.0, wall_seconds=20.0, idle_seconds=20.0)
TEXT_CONVERTER: Final = "webseam.adapters.transforms.table:transform_body"


# Pages are untrusted, and what is done with their text after they were read takes as long as the
# text wants: 900,000 brackets are linear, and take four seconds. A thread cannot be ended, so its
# work would go on after the caller has left, and it holds the interpreter's lock. A worker has
# limits of time and memory, and ends with its call.
class TextWorkers:
    """Transforms text in a pool of workers that load ``table`` alone."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers

    async def transform(
        self, name: TransformName, text: str, detail: str = ""
    ) -> Result[str, WebError]:
        """Return the text transformed, or why not; cancelling ends the work."""
        if len(text) + len(detail) <= MAX_TINY_CHARS:
            return transform_text(text, name, detail)
        page = await self._workers.convert(text.encode("utf-8", "replace"), name, detail)
        return page.map(lambda it: it.content)

    async def find_named(
        self, name: TransformName, text: str, detail: str = ""
    ) -> Result[tuple[tuple[str, str], ...], WebError]:
        """Return the links or images of a page at the address ``detail``, each with its text."""
        encoded = await self.transform(name, text, detail)
        return encoded.map(lambda it: tuple(NAMED_DECODER.decode(it)))

    def transform_blocking(
        self, name: TransformName, text: str, detail: str = ""
    ) -> Result[str, WebError]:
        """Transform as ``transform`` does, for a command that waits for it."""
        if len(text) + len(detail) <= MAX_TINY_CHARS:
            return transform_text(text, name, detail)
        body = text.encode("utf-8", "replace")
        return self._workers.convert_blocking(body, name, detail).map(lambda it: it.content)


text_workers: Final = TextWorkers(share_workers(TEXT_CONVERTER, _LIMITS))
