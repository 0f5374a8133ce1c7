"""Laws of the compressor on a model: its text within the budget, or a failure that says why."""

import asyncio
from itertools import cycle
from typing import get_args

from hypothesis import example, given, strategies as st
from returns.result import Failure, Success

from webseam.adapters.compressors.model_compressor import CompressionLimits, ModelCompressor
from webseam.adapters.values.think_tags import strip_thoughts
from webseam.composition.features.testing.strategies import errors
from webseam.ports import ChatRequest, CompressorFailed, NormalizedResponse, WebError
from webseam.ports.models import FinishReason
from webseam.testing import FakeModel

# Small, so that a page of some sentences is a long one.
LIMITS = CompressionLimits(
    max_whole=2000, part=150, budget=600, max_page=4000, max_concurrent_calls=3
)
Answer = NormalizedResponse | Failure[WebError]


def said(text: str | None, finish: FinishReason = "stop") -> NormalizedResponse:
    """Return an answer that ended like this."""
    return NormalizedResponse(content=text, finish_reason=finish)


def answers() -> st.SearchStrategy[Answer]:
    """Give what a model may answer: mostly text, of any length and ending."""
    texts = st.text(max_size=40) | st.sampled_from(["High. " * 30, "High. " * 200, "<think>Hm."])
    finishes = st.just("stop") | st.sampled_from(get_args(FinishReason))
    return st.builds(said, st.none() | texts, finishes) | errors().map(Failure)


def pages() -> st.SearchStrategy[str]:
    """Give pages that are one call, several, or too much."""
    return st.integers(1, 120).map(lambda count: "The tide at Leith is high at 04:12.\n\n" * count)


@given(page=pages(), answered=st.lists(answers(), min_size=1, max_size=8))
@example(page="The tide is high.\n\n" * 150, answered=[said("High.")])
def test_a_text_is_the_models_own_and_within_the_budget(page: str, answered: list[Answer]) -> None:
    queue = cycle(answered)
    running = [0, 0]

    async def answer(_request: ChatRequest) -> Answer:
        running[0] += 1
        running[1] = max(running)
        await asyncio.sleep(0)
        running[0] -= 1
        return next(queue)

    result = asyncio.run(
        ModelCompressor(FakeModel(answer=answer), "m", limits=LIMITS)(page, "Keep.")
    )

    assert running[1] <= LIMITS.max_concurrent_calls
    if isinstance(result, Success):
        texts = [each.content or "" for each in answered if not isinstance(each, Failure)]
        own = [strip_thoughts(text) for text in texts]
        text = result.unwrap().text
        assert 0 < len(text) <= min(LIMITS.budget, len(page))
        assert text in own or all(any(part in each for each in own) for part in text.split("\n\n"))
    else:
        told = [each.failure() for each in answered if isinstance(each, Failure)]
        assert isinstance(result.failure(), CompressorFailed) or result.failure() in told
