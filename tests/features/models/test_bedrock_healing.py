"""What a model on Bedrock does not take is left out, once it says so."""

import copy

import httpx
import msgspec
import pytest

from tests.features.models.clients import client, run
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.wires.bedrock.bedrock_refusals import drop_parts
from webseam.ports import ChatRequest, HttpStatus, NormalizedResponse, WebError

BEDROCK = Provider(name="bedrock", api_mode="bedrock_converse")
POINT = {"cachePoint": {"type": "default"}}
REDACTED = {"reasoningContent": {"redactedContent": "YQ=="}}
SIGNED = {"reasoningContent": {"reasoningText": {"text": "t", "signature": "s"}}}
CALL = {"toolUse": {"toolUseId": "a", "name": "f", "input": {"cachePoint": 1, "temperature": 2}}}
BODY = {
    "system": [{"text": "s"}, POINT],
    "messages": [{"role": "assistant", "content": [REDACTED, SIGNED, CALL, POINT]}],
    "toolConfig": {"tools": [{"toolSpec": {}}, POINT], "toolChoice": {"auto": {}}},
    "inferenceConfig": {"temperature": 0.2, "topP": 0.5, "maxTokens": 9},
}


@pytest.mark.parametrize(
    ("names", "changed"),
    [
        ((), {}),
        (("temperature", "topP"), {"inferenceConfig": {"maxTokens": 9}}),
        (
            ("redactedContent",),
            {"messages": [{"role": "assistant", "content": [SIGNED, CALL, POINT]}]},
        ),
        (
            ("cachePoint",),
            {
                "system": [{"text": "s"}],
                "messages": [{"role": "assistant", "content": [REDACTED, SIGNED, CALL]}],
                "toolConfig": {"tools": [{"toolSpec": {}}], "toolChoice": {"auto": {}}},
            },
        ),
    ],
)
def test_just_what_was_refused_is_left_out(
    names: tuple[str, ...], changed: dict[str, object]
) -> None:
    before = copy.deepcopy(BODY)

    assert drop_parts(dict(BODY), names) == {**BODY, **changed}
    assert before == BODY
    assert drop_parts({"messages": []}, names) == {"messages": []}


def test_a_turn_of_nothing_else_says_so() -> None:
    turn = {"role": "assistant", "content": [REDACTED]}

    assert drop_parts({"messages": [turn]}, ("redactedContent",)) == {
        "messages": [{"role": "assistant", "content": [{"text": "(empty)"}]}]
    }


REQUEST = ChatRequest(
    model="us.amazon.nova-lite-v1:0",
    messages=({"role": "user", "content": "hi"},),
    cache=True,
    temperature=0.2,
)


class Host:
    """Refuses with each sentence in turn, then answers; remembers what it was sent."""

    def __init__(self, *refusals: str) -> None:
        self.asked: list[dict[str, object]] = []
        self._refusals = refusals

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(msgspec.json.decode(request.content))
        if len(self.asked) > len(self._refusals):
            message = {"content": [{"text": "Hi."}]}
            return httpx.Response(
                200, json={"output": {"message": message}, "stopReason": "end_turn"}
            )
        words = self._refusals[len(self.asked) - 1]
        headers = {"x-amzn-errortype": "ValidationException"}
        return httpx.Response(400, json={"message": words}, headers=headers)


def ask(host: Host) -> NormalizedResponse | WebError:
    result = run(client(httpx.MockTransport(host), provider=BEDROCK).complete(REQUEST))
    return result.value_or(None) or result.failure()


def test_the_client_tries_again_without_it() -> None:
    host = Host("extraneous key [cachePoint] is not permitted", "temperature is not supported")

    answer = ask(host)

    assert isinstance(answer, NormalizedResponse)
    assert answer.content == "Hi."
    assert answer.provider_data == {
        "_left_out": ["cachePoint", "temperature"],
        "_issuer": "bedrock",
    }
    assert host.asked[0]["messages"] == [{"role": "user", "content": [{"text": "hi"}, POINT]}]
    assert host.asked[2]["messages"] == [{"role": "user", "content": [{"text": "hi"}]}]
    assert "inferenceConfig" not in host.asked[2]


def test_another_complaint_is_passed_on() -> None:
    host = Host("The text field is blank")

    assert ask(host) == HttpStatus(backend="bedrock", status=400, detail="The text field is blank")
    assert len(host.asked) == 1
