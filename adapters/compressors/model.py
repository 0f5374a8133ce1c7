"""A compressor that is a model. What it returns is the model's text, or a failure that says why.

A page up to a size is one call. A longer one is cut between paragraphs, its parts are shortened a
few at a time, and one more call makes a single text of them. If any call fails, the page fails.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import CompressorFailed, WebError
from ...ports.models import ChatModel, ChatRequest, Message, NormalizedResponse
from .extractive import BUDGET
from .prompts import merge_prompt, part_prompt, repeats, whole_prompt

# After a blank line, else after a line, else after a sentence, else after a word.
_BORDERS = tuple(map(re.compile, (r"\n\s*\n", r"\n", r"[.!?\u3002]\s+|(?<=\u3002)", r"\s+")))


def pieces(text: str, most: int) -> list[str]:
    r"""Cut ``text`` into pieces of at most ``most`` characters; joined they are the text again.

    >>> pieces("One.\n\nTwo.\n\nThree.", 14)
    ['One.\n\nTwo.\n\n', 'Three.']
    """
    return list(_cut(text, most))


def _cut(text: str, most: int) -> Iterator[str]:
    start = 0
    while len(text) - start > most:
        end = _end(text, start, most)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _end(text: str, start: int, most: int) -> int:
    """Return where the piece from ``start`` ends: at the last border of the best kind it has."""
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, start, start + most)]
        # A border near the start would make many pieces of nearly nothing.
        if ends and ends[-1] > start + most // 4:
            return ends[-1]
    return start + most


# Thoughts that a model left in its answer, between tags that many models use.

_THOUGHTS = "think|thinking|thought|reasoning|reasoning_scratchpad"
_BLOCK = re.compile(rf"\s*<({_THOUGHTS})>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(rf"^[ \t]*<(?:{_THOUGHTS})>", re.IGNORECASE | re.MULTILINE)
_CLOSING = re.compile(rf"</(?:{_THOUGHTS})>[ \t]*\n?", re.IGNORECASE)
_CODE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
# Thoughts whose beginning stood in the prompt; the end of them has the rest of its line for itself.
_END = re.compile(rf"\A.*?</(?:{_THOUGHTS})>[ \t]*\n", re.DOTALL | re.IGNORECASE)


def without_thoughts(said: str) -> str:
    r"""Return an answer without the thoughts that a model left in it, on lines of their own.

    >>> without_thoughts("<think>Hm.</think>Tides."), without_thoughts("Hm.\n</think>\n\nTides.")
    ('Tides.', 'Tides.')
    """
    while (block := _BLOCK.match(said)) is not None:
        said = said[block.end() :]
    # In a block of code the tag is part of the page.
    parts = (part if code else _spoken(part) for code, part in _with_code(said))
    said = "".join(parts)
    left = _END.match(said)
    return said[left.end() if left and "```" not in left[0] else 0 :].strip()


def _with_code(said: str) -> Iterator[tuple[bool, str]]:
    return ((bool(place % 2), part) for place, part in enumerate(_CODE.split(said)))


def _spoken(said: str) -> str:
    """Return a text without its blocks of thoughts; what has no end is none."""
    kept, start = [], 0
    while opened := _OPENING.search(said, start):
        closed = _CLOSING.search(said, opened.end())
        if closed is None:
            break
        kept.append(said[start : opened.start()])
        start = closed.end()
    return "".join([*kept, said[start:]])


# A compressor that is a model. What it returns is the model's text, or a failure that says why.

_LEAST_FOR_A_PART = 500
# How a model's answer may end, other than by itself.
_ENDINGS = {
    "length": "the model stopped at its length limit",
    "content_filter": "the model refused the page",
    "tool_calls": "the model called a tool instead of answering",
}


class CompressionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """In characters: what comes out, what goes into one call, into a part, and what is too much.

    ``at_once`` calls run at the same time; each may take ``seconds``.
    """

    budget: int = BUDGET
    whole: int = 120_000
    part: int = 60_000
    most: int = 2_000_000
    at_once: int = 4
    seconds: float = 120.0


class ModelCompressor:
    """A ``Compressor`` over any ``ChatModel``."""

    name = "model"

    def __init__(
        self,
        model: ChatModel,
        model_name: str,
        *,
        limits: CompressionLimits | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        """Ask ``model`` for ``model_name``; ``clean`` takes out of a page what nobody can see."""
        self._model = model
        self._model_name = model_name
        self._limits = limits or CompressionLimits()
        self._clean = clean

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return what of ``text`` matters to someone who asks ``instruction``."""
        limits = self._limits
        if len(text) > limits.most:
            return _refuse(f"it is longer than {limits.most} characters")
        page = self._clean(text)
        if not page.strip():
            return _refuse("nothing on it can be seen")
        budget = min(limits.budget, len(text))
        if len(page) <= limits.whole:
            return await self._within(page, whole_prompt(page, instruction, budget), budget)
        parts = await self._parts(pieces(page, limits.part), instruction)
        if isinstance(parts, Failure):
            return parts
        joined = "\n\n".join(parts.unwrap())
        if len(joined) <= budget:
            return Success(joined)
        return await self._within(joined, merge_prompt(joined, instruction, budget), budget)

    async def _parts(self, cut: Sequence[str], instruction: str) -> Result[list[str], WebError]:
        """Shorten every part, a few at a time; after a failure no other is begun."""
        limits, count = self._limits, len(cut)
        # Together they must fit into the call that makes one text of them.
        budget = max(_LEAST_FOR_A_PART, min(limits.budget, limits.whole // count - 2))
        gate = asyncio.Semaphore(limits.at_once)
        failed: list[Failure[WebError]] = []

        async def shorten(number: int, part: str) -> str:
            async with gate:
                if failed:
                    return ""
                prompt = part_prompt(part, instruction, budget, number=number, count=count)
                said = await self._within(part, prompt, min(budget, len(part)))
            if isinstance(said, Failure):
                failed.append(said)
            return said.value_or("")

        said = await asyncio.gather(*(shorten(at, part) for at, part in enumerate(cut, 1)))
        return failed[0] if failed else Success(said)

    async def _within(
        self, given: str, prompt: tuple[Message, ...], budget: int
    ) -> Result[str, WebError]:
        """Ask, and ask once more to shorten an answer over the budget; still over is a failure."""
        first = await self._ask(given, prompt)
        if isinstance(first, Failure) or len(first.unwrap()) <= budget:
            return first
        said = first.unwrap()
        second = await self._ask(said, merge_prompt(said, "Keep what matters most.", budget))
        if isinstance(second, Failure) or len(second.unwrap()) <= budget:
            return second
        return _refuse(f"the model wrote more than the {budget} characters it was given, twice")

    async def _ask(self, given: str, prompt: tuple[Message, ...]) -> Result[str, WebError]:
        request = ChatRequest(
            model=self._model_name, messages=prompt, deadline=self._limits.seconds
        )
        answered = await self._model.complete(request)
        return answered.bind(lambda response: _text(response, given, prompt))


def _text(
    response: NormalizedResponse, given: str, prompt: tuple[Message, ...]
) -> Result[str, WebError]:
    """Return the shortened text in an answer, or why it is none."""
    ending = _ENDINGS.get(response.finish_reason)
    if ending is not None:
        return _refuse(ending)
    said = without_thoughts(response.content or "")
    if not said:
        return _refuse("the model returned nothing")
    if repeats(said, given, prompt):
        return _refuse("the model repeated what it was told instead of shortening the page")
    if len(said) > len(given):
        return _refuse("the model returned more than it was given")
    return Success(said)


def _refuse(reason: str) -> Failure[WebError]:
    return Failure(CompressorFailed(reason=reason))
