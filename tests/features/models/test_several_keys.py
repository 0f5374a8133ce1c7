"""Several keys of one provider: the next is used when one is refused, and is kept."""

from pathlib import Path

import httpx
import pytest
from returns.result import Failure, Success

from tests.settings.support import load
from webseam.adapters.features.models.declaration.provider import Account
from webseam.composition.features.models.clients import known_providers, provider_account
from webseam.ports.secrets import Secret
from webseam.testing import ScriptedTransport

from .clients import REQUEST, client, run, streamed

KEYS = "first-key-0123, second-key-4567"
OK = {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]}


def refused(status: int) -> httpx.Response:
    return httpx.Response(status, json={"error": {"message": "no, not first-key-0123"}})


def keys_sent(transport: ScriptedTransport) -> list[str]:
    return [request.headers["authorization"] for request in transport.requests]


@pytest.mark.parametrize("status", [401, 402, 403, 429])
def test_the_next_key_is_tried_when_one_is_refused_and_kept(status: int) -> None:
    transport = ScriptedTransport(
        [refused(status), httpx.Response(200, json=OK), httpx.Response(200, json=OK)]
    )
    model = client(transport, key=KEYS)

    answers = [run(model.complete(REQUEST)), run(model.complete(REQUEST))]

    assert all(isinstance(answer, Success) for answer in answers)
    assert keys_sent(transport) == [
        "Bearer first-key-0123",
        "Bearer second-key-4567",
        "Bearer second-key-4567",
    ]


def test_a_stream_goes_on_with_the_next_key_before_it_began() -> None:
    transport = ScriptedTransport([refused(401), httpx.Response(200, json=OK)])

    items = run(streamed(client(transport, key=KEYS)))

    assert isinstance(items[-1], Success)
    assert keys_sent(transport) == ["Bearer first-key-0123", "Bearer second-key-4567"]


def test_last_refusal_of_all_keys_is_returned_without_a_key() -> None:
    answer = run(client(ScriptedTransport([refused(401)] * 2), key=KEYS).complete(REQUEST))

    assert isinstance(answer, Failure)
    assert answer.failure().kind == "auth_failed"
    assert "first-key" not in answer.failure().message


def test_error_that_is_not_about_the_key_is_not_tried_with_another() -> None:
    transport = ScriptedTransport([refused(400)])

    assert isinstance(run(client(transport, key=KEYS).complete(REQUEST)), Failure)
    assert len(transport.requests) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [("a", 1), ("a,b,c", 3), ("a, b,", 2), ('{"a": 1, "b": 2}', 1), ("", 1), ("a b, c", 1)],
)
def test_only_a_list_of_keys_is_taken_apart(text: str, count: int) -> None:
    account = Account(base_url="https://a.example", key=Secret(text))

    assert len(account.for_each_key()) == count


def test_a_list_in_the_settings_is_several_keys(tmp_path: Path) -> None:
    config = "providers: {openai: {api_key: [sk-one, sk-two]}}\ncustom_api_key: [a-1, b-2]\n"
    settings = load(tmp_path, config).unwrap()
    provider = known_providers(settings).unwrap().find("openai").unwrap()

    keys = [
        one.key.reveal() for one in provider_account(provider, settings).unwrap().for_each_key()
    ]

    assert keys == ["sk-one", "sk-two"]
    assert settings.custom_api_key.reveal() == "a-1,b-2"
