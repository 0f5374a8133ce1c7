"""Every reader of a stream does work in proportion to the bytes, whatever pieces they come in."""

import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pytest

from properties.spoken_answers import SPOKEN, Said
from tests.features.models.frames import event
from webseam.adapters.features.models.declaration.provider import ApiMode
from webseam.adapters.features.models.declaration.wire import StreamEvent
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.adapters.http.body import _Inflater
from webseam.adapters.values.think_tags import ThinkSplitter

MAX_GROWTH = 2.5
# The sizes of pieces, and the sizes of the smaller of two streams.
SIZES = {1: 1024, 256: 64 * 1024, 65536: 1024 * 1024}
API_MODES: tuple[ApiMode, ...] = tuple(SPOKEN)


class Counted(NamedTuple):
    """A pattern that counts the characters it may look at."""

    pattern: re.Pattern[Any]
    looked: list[int]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  any method of a pattern
        method = getattr(self.pattern, name)

        def call(subject: Any, start: int = 0) -> Any:  # noqa: ANN401
            self.looked.append(max(len(subject) - start, 0))
            return method(subject, start) if start else method(subject)

        return call


def modules_of(owner: object) -> Iterator[str]:
    """Yield the modules of a reader and of the readers inside of it."""
    name = type(owner).__module__
    if name.startswith("webseam."):
        yield name
        for inner in vars(owner).values():
            yield from modules_of(inner)


def work(steps: Sequence[Callable[[], object]], reader: object) -> int:
    """Return the bytes that all steps allocate, and the characters that they search."""
    looked: list[int] = []
    allocated = 0
    patterns = [
        (vars(sys.modules[name]), key, value)
        for name in {*modules_of(reader)}
        for key, value in vars(sys.modules[name]).items()
        if isinstance(value, re.Pattern)
    ]
    for module, key, pattern in patterns:
        module[key] = Counted(pattern, looked)
    tracemalloc.start()
    try:
        for step in steps:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            step()
            allocated += tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        for module, key, pattern in patterns:
            module[key] = pattern
    return allocated + sum(looked)


Steps = Callable[[int, int], tuple[Sequence[Callable[[], object]], object]]


def cut(data: Any, size: int) -> list[Any]:  # noqa: ANN401  bytes or text
    return [data[start : start + size] for start in range(0, len(data), size)]


def fed(reader: Any, pieces: Sequence[object]) -> tuple[Sequence[Callable[[], object]], object]:  # noqa: ANN401
    """Return the steps of a reader; what each returns is dropped, as a caller would."""

    def step(piece: object) -> None:
        result = reader.feed(piece)
        list(result) if isinstance(result, Iterator) else None

    feeds = [lambda piece=piece: step(piece) for piece in pieces]
    return [*feeds, reader.finish] if hasattr(reader, "finish") else feeds, reader


def one_event(api_mode: ApiMode) -> Steps:
    """One long event in pieces, up to its last byte."""

    def steps(size: int, piece: int) -> tuple[Sequence[Callable[[], object]], object]:
        wire = load_wire(api_mode)
        is_sse = wire.accept == "text/event-stream"
        data = b"data: " + b"x" * size + b"\n\n" if is_sse else event("e", "x" * size)
        return fed(wire.frames(), cut(data, piece))

    return steps


def many_events(api_mode: ApiMode, kind: str) -> Steps:
    """One long block in many events."""

    def steps(size: int, piece: int) -> tuple[Sequence[Callable[[], object]], object]:
        wire = load_wire(api_mode)
        content = '{"q":"' + "x" * size + '"}' if kind == "call" else "x" * size
        said = [Said(kind, tuple(cut(content, piece)))]
        events = [
            StreamEvent(name=name, data=msgspec.json.encode(payload).decode())
            for name, payload in SPOKEN[api_mode].events(said)
        ]
        return fed(wire.fold(None), events)

    return steps


def gemini_arguments(size: int, piece: int) -> tuple[Sequence[Callable[[], object]], object]:
    def part(**call: object) -> StreamEvent:
        payload = {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}
        return StreamEvent(data=msgspec.json.encode(payload).decode())

    grown = [
        part(partialArgs=[{"jsonPath": "$.a.q", "stringValue": words}], willContinue=True)
        for words in cut("x" * size, piece)
    ]
    events = [part(name="f", willContinue=True), *grown, part()]
    return fed(load_wire("gemini_generate").fold(None), events)


def chat_fields(name: str) -> Steps:
    """A field that is streamed beside the content."""

    def steps(size: int, piece: int) -> tuple[Sequence[Callable[[], object]], object]:
        values: dict[str, Callable[[str], object]] = {
            "reasoning_details": lambda words: [{"index": 0, "type": "t", "text": words}],
            "annotations": lambda words: [{"text": words}],
        }
        of: Callable[[str], object] = values.get(name, str)
        events = [
            StreamEvent(
                data=msgspec.json.encode({"choices": [{"delta": {name: of(words)}}]}).decode()
            )
            for words in cut("x" * size, piece)
        ]
        return fed(load_wire("chat_completions").fold(None), [*events, StreamEvent(data="[DONE]")])

    return steps


def inflated(size: int, piece: int) -> tuple[Sequence[Callable[[], object]], object]:
    import gzip  # noqa: PLC0415
    import random  # noqa: PLC0415

    data = gzip.compress(random.Random(1).randbytes(size))  # noqa: S311
    return fed(_Inflater(31), cut(data, piece))


READERS: dict[str, Steps] = {
    **{load_wire(mode).frames.__name__: one_event(mode) for mode in API_MODES},
    **{
        f"{kind} of {mode}": many_events(mode, kind)
        for mode in API_MODES
        for kind in ("text", "thought", "call")
        if (mode, kind) != ("gemini_generate", "call")
    },
    "arguments of gemini_generate": gemini_arguments,
    **{
        f"{name} of chat_completions": chat_fields(name)
        for name in (
            "reasoning",
            "reasoning_content",
            "refusal",
            "reasoning_details",
            "annotations",
        )
    },
    "leading blanks": lambda size, piece: fed(ThinkSplitter(), cut(" " * size, piece)),
    "a thought": lambda size, piece: fed(ThinkSplitter(), cut("<think>" + "x" * size, piece)),
    "a compressed body": inflated,
}


@pytest.mark.parametrize("piece", SIZES)
@pytest.mark.parametrize("name", READERS)
def test_twice_the_bytes_cost_at_most_two_and_a_half_times_the_work(name: str, piece: int) -> None:
    once, twice = (work(*READERS[name](factor * SIZES[piece], piece)) for factor in (1, 2))

    assert twice <= MAX_GROWTH * once, (name, piece, once, twice)
