"""Shorten a page to the passages that answer a question, in a worker and without a model."""

from returns.result import Result

from webseam.ports.errors import WebError

from ..compressors.extractive_compressor import DEFAULT_BUDGET_CHARS


class ExtractiveCompressor:
    """A ``Compressor`` that quotes at most ``budget`` characters, chosen by the question."""

    name = "extractive"

    def __init__(self, budget: int = DEFAULT_BUDGET_CHARS) -> None:
        self._budget = budget

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return the parts of ``text`` that score best for ``instruction``."""
        return await _choose_passages(text, instruction, self._budget)


async def condense(text: str, instruction: str, budget: int, /) -> str:
    """Return what ``extract`` returns; nothing if that took too long, and the page is cut."""
    return (await _choose_passages(text, instruction, budget)).value_or("")


async def _choose_passages(text: str, instruction: str, budget: int) -> Result[str, WebError]:
    from .text_workers import text_workers  # noqa: PLC0415  a search starts no workers

    return await text_workers.transform("passages", text, f"{budget} {instruction}")
