"""However a model's answer is cut into pieces, no search, no result and no word of it is lost."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import date
from typing import Any

from hypothesis import given, strategies as st
from returns.result import Success

from tests.features.gateway.asgi import ROWS, Answer
from tests.features.gateway.messages import VERSIONS, fold
from webseam.adapters.features.gateway.asks import (
    ConversationRequest,
    PagesRequest,
    SearchRequest,
    SearchSuccess,
)
from webseam.adapters.features.gateway.dialects.anthropic import DIALECT
from webseam.adapters.features.gateway.replies import Call, Refusal
from webseam.composition.features.gateway.model_conversations import ConversationDeps, turn_items
from webseam.composition.features.testing.fakes import FakeBackend, FakeModel
from webseam.kernel import WebDeps, web_search
from webseam.ports.models import (
    ChatRequest,
    Delta,
    NormalizedResponse,
    StreamItem,
    ToolCall,
    ToolCallDelta,
)

FOUND = SearchSuccess(
    outcome=asyncio.run(web_search("tides", WebDeps(backend=FakeBackend(ROWS)))).unwrap()
)
WORDS = st.text("ab [12]\n", max_size=12)
TOOLS = st.sampled_from(["web_search", "web_fetch", "lookup"])
# The thoughts and the text of each answer, and the tools that it calls.
ANSWERS = st.lists(st.tuples(WORDS, WORDS, st.lists(TOOLS, max_size=3)), min_size=1, max_size=14)


class ChoppedModel(FakeModel):
    """Follows a script, and cuts each answer at the places that ``data`` draws."""

    def __init__(self, answers: list[tuple[str, str, list[str]]], data: st.DataObject) -> None:
        super().__init__()
        self.answers, self.data = answers, data

    async def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        thoughts, text, names = self.answers[min(len(self.asked), len(self.answers) - 1)]
        calls = tuple(
            ToolCall(
                id=f"{len(self.asked)}_{n}", name=name, arguments='{"query": "tides", "url": "x"}'
            )
            for n, name in enumerate(names)
        )
        self.asked.append(request)
        for piece in self.chop(thoughts):
            yield Delta(reasoning=piece)
        for piece in self.chop(text):
            yield Delta(text=piece)
        for n, call in enumerate(calls):
            for piece in self.chop(call.arguments):
                yield Delta(tool_call=ToolCallDelta(index=n, name=call.name, arguments=piece))
        yield Success(
            NormalizedResponse(
                content=text or None,
                finish_reason="tool_calls" if calls else "stop",
                tool_calls=calls,
                reasoning=thoughts,
            )
        )

    def chop(self, text: str) -> list[str]:
        cuts = sorted(self.data.draw(st.sets(st.integers(0, len(text)), max_size=4)))
        return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


async def run_turn(
    asked: ConversationRequest, model: ChoppedModel
) -> tuple[bytes, dict[str, Any], int]:
    """Return the events, the whole message, and how many requests were run."""
    runs: list[object] = []

    async def run(request: SearchRequest | PagesRequest) -> SearchSuccess | Refusal:
        runs.append(request)
        if isinstance(request, SearchRequest):
            return FOUND
        return Refusal(kind="unreadable", message="no")

    deps = ConversationDeps(ask=asked, writer=asked.write(), run=run)
    items = [item async for item in turn_items(deps, model)]
    events = [event for item in items for event in deps.writer.write_events(item)]
    whole = json.loads(deps.writer.write_reply().body)
    return b"".join(events), whole, len(runs)


@given(
    answers=ANSWERS,
    search=st.sampled_from([version for version in VERSIONS if "search" in version]),
    fetch=st.sampled_from([version for version in VERSIONS if "fetch" in version]),
    max_uses=st.none() | st.integers(1, 4),
    data=st.data(),
)
def test_no_search_and_no_word_is_lost_from_a_stream_and_every_loop_ends(
    answers: list[tuple[str, str, list[str]]],
    search: str,
    fetch: str,
    max_uses: int | None,
    data: st.DataObject,
) -> None:
    body = {
        "model": "m",
        "max_tokens": 9,
        "stream": True,
        "messages": [{"role": "user", "content": "x"}],
        "tools": [
            {"type": search, "name": "web_search", "max_uses": max_uses},
            {"type": fetch, "name": "web_fetch", "max_uses": max_uses},
            {"name": "lookup", "input_schema": {}},
        ],
    }
    call = Call(method="POST", path="/v1/messages", body=json.dumps(body).encode(), today=date.min)
    asked = DIALECT.endpoints[0].read(call)
    assert isinstance(asked, ConversationRequest)
    model = ChoppedModel(answers, data)

    events, whole, runs = asyncio.run(run_turn(asked, model))

    folded = fold(Answer(200, {"content-type": "text/event-stream"}, events))
    assert folded == whole
    given_answers = [answers[min(n, len(answers) - 1)] for n in range(len(model.asked))]
    blocks = whole["content"]
    for kind, index in (("thinking", 0), ("text", 1)):
        said = "".join(block[kind] for block in blocks if block["type"] == kind)
        assert said == "".join(str(answer[index]) for answer in given_answers)
    called = [name for answer in given_answers for name in answer[2]]
    uses = [block for block in blocks if block["type"] in ("server_tool_use", "tool_use")]
    assert sorted(block["name"] for block in uses) == sorted(called)
    results = [block["tool_use_id"] for block in blocks if block["type"].endswith("_tool_result")]
    assert sorted(results) == sorted(use["id"] for use in uses if use["name"] != "lookup")
    assert runs <= (max_uses or len(results)) * 2
    assert len(model.asked) <= 10
    assert whole["stop_reason"] in ("end_turn", "tool_use", "pause_turn")
    assert (whole["stop_reason"] == "tool_use") == ("lookup" in called)
