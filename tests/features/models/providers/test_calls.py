"""Every provider, called through the client up to the wire's end."""

import asyncio

import httpx
import pytest
from returns.result import Failure

from webseam import AuthFailed, ChatRequest, provider_model
from webseam.adapters.user_agent import USER_AGENT
from webseam.testing import ScriptedTransport

from .asking import REGISTRY, USER, provider

KEY = "test-key-0123456789"
PLACES = {
    "AZURE_OPENAI_ENDPOINT": "https://resource.openai.azure.com",
    "CUSTOM_BASE_URL": "https://custom.example/v1",
    "GOOGLE_CLOUD_PROJECT": "project-1",
}


def called(name: str, *, stream: bool) -> tuple[httpx.Request, object]:
    """Return the one request that was sent, and the failure that the answer's 401 became."""
    named = provider(name)
    account = named.account({**PLACES, **dict.fromkeys(named.login.env, KEY)}).unwrap()
    transport = ScriptedTransport([httpx.Response(401, json={"error": {"message": f"no {KEY}"}})])
    client = provider_model(named, account, transport=transport).unwrap()
    request = ChatRequest(model="some-model", messages=(USER,))

    async def ask() -> object:
        if not stream:
            return await client.complete(request)
        return [item async for item in client.stream(request)][-1]

    answer = asyncio.run(ask())
    assert isinstance(answer, Failure)
    (sent,) = transport.requests
    assert str(sent.url).startswith(account.base_url)
    return sent, answer.failure()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", sorted(REGISTRY.providers))
def test_a_key_is_sent_once_and_never_told_and_the_caller_is_this_project(
    name: str, *, stream: bool
) -> None:
    sent, failure = called(name, stream=stream)

    assert isinstance(failure, AuthFailed)
    assert failure.backend == name
    assert KEY not in failure.message
    assert [value for value in sent.headers.values() if KEY in value] in ([KEY], [f"Bearer {KEY}"])
    assert KEY not in f"{sent.url}{sent.content!r}"
    assert sent.headers.get_list("user-agent") == [USER_AGENT]
