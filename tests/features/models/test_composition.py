"""Models by name: the provider, whoever calls it, and where a key may go."""

from pathlib import Path

import httpx
import msgspec
import pytest
from returns.result import Failure, Result

from tests.features.models.chat import answer
from tests.features.models.clients import KEY, PROVIDER, REQUEST, run
from tests.settings.support import settings
from webseam import chat_model, provider_model
from webseam.adapters.features.models.declaration.provider import Account
from webseam.composition.planning.open_backends import OpenModel
from webseam.composition.settings.schema import Settings
from webseam.ports import HttpStatus, NotConfigured, UnknownProvider, WebError
from webseam.ports.secrets import Secret
from webseam.testing import ScriptedTransport

OK = answer({"content": "Hi."})


def asked(name: str, chosen: Settings) -> tuple[Result[OpenModel, WebError], ScriptedTransport]:
    transport = ScriptedTransport([httpx.Response(200, json=OK)])
    client_made = chat_model(name, settings=chosen, transport=transport)
    if not isinstance(client_made, Failure):
        run(client_made.unwrap().complete(REQUEST))
    return client_made, transport


def test_a_provider_is_found_by_its_alias_with_its_key(tmp_path: Path) -> None:
    client_made, transport = asked("glm", settings(tmp_path, ZAI_API_KEY=KEY))

    assert client_made.unwrap().name == "zai"
    assert transport.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_name_that_is_unknown_suggests_near_ones(tmp_path: Path) -> None:
    client_made, _ = asked("openia", settings(tmp_path))

    failure = client_made.failure()
    assert isinstance(failure, UnknownProvider)
    assert "openai" in failure.near


def test_a_provider_without_its_key_says_which_variable_to_set(tmp_path: Path) -> None:
    client_made, _ = asked("mistral", settings(tmp_path, MISTRAL_API_KEY=" "))

    assert client_made.failure() == NotConfigured(
        backend="mistral", reason="Mistral has no key", settings=("MISTRAL_API_KEY",)
    )


def test_a_few_lines_of_settings_declare_a_provider(tmp_path: Path) -> None:
    file = """
providers:
  mine:
    base_url: https://llm.example/v1
    api_key: 1234567890
    headers:
      X-Team: blue
    extra_body:
      options:
        depth: 3
"""

    client_made, transport = asked("mine", settings(tmp_path, file))

    assert client_made.unwrap().name == "mine"
    (sent,) = transport.requests
    assert str(sent.url) == "https://llm.example/v1/chat/completions"
    assert sent.headers["authorization"] == "Bearer 1234567890"
    assert sent.headers["x-team"] == "blue"
    assert msgspec.json.decode(sent.content)["options"] == {"depth": 3}


def test_a_declaration_that_is_wrong_names_its_field(tmp_path: Path) -> None:
    client_made, _ = asked(
        "mine", settings(tmp_path, "providers:\n  mine:\n    base_url: nowhere\n")
    )

    failure = client_made.failure()
    assert isinstance(failure, NotConfigured)
    assert failure.settings == ("providers.mine.base_url",)


def test_an_address_from_a_working_folder_never_gets_the_users_key(tmp_path: Path) -> None:
    evil = "OPENAI_BASE_URL=https://evil.example/v1\n"

    _, transport = asked("openai", settings(tmp_path, dotenv=evil, OPENAI_API_KEY=KEY))

    assert transport.requests[0].url.host == "api.openai.com"


def test_a_working_folder_may_bring_an_account_of_its_own_after_a_yes(tmp_path: Path) -> None:
    whole = f"OPENAI_BASE_URL=https://llm.example/v1\nOPENAI_API_KEY={KEY}\n"

    _, transport = asked("openai", settings(tmp_path, dotenv=whole, WEBSEAM_TRUST_FOLDER="1"))

    assert transport.requests[0].url.host == "llm.example"


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://llm.example/v1", None),
        ("http://127.0.0.1:1/v1", None),
        ("http://llm.example/v1", "invalid_url"),
        ("ftp://llm.example", "invalid_url"),
    ],
)
def test_a_key_is_only_sent_over_https_or_to_this_machine(url: str, kind: str | None) -> None:
    client_made = provider_model(PROVIDER, Account(base_url=url, key=Secret(KEY)))

    assert (client_made.failure().kind if isinstance(client_made, Failure) else None) == kind


def test_a_client_closes_what_it_keeps_open() -> None:
    transport = ScriptedTransport([httpx.Response(400), httpx.Response(200, json=OK)])
    account = Account(base_url="https://acme.example/v1", key=Secret(KEY))
    client_made = provider_model(PROVIDER, account, transport=transport).unwrap()

    first = run(client_made.complete(REQUEST))
    second = run(client_made.complete(REQUEST))
    run(client_made.aclose())

    assert isinstance(first.failure(), HttpStatus)
    assert second.unwrap().content == "Hi."
    assert transport.closed


def test_a_list_of_models_is_a_route(tmp_path: Path) -> None:
    chosen = settings(tmp_path, MISTRAL_API_KEY=KEY, OPENROUTER_API_KEY=KEY)
    transport = ScriptedTransport([httpx.Response(503), httpx.Response(200, json=OK)])
    model = chat_model(["mistral/a", "openrouter/b/c"], settings=chosen, transport=transport)

    answered = run(model.unwrap().complete(REQUEST)).unwrap()

    assert [(one.backend, one.outcome) for one in answered.attempts] == [
        ("mistral", "upstream_unavailable"),
        ("openrouter", "answered"),
    ]
    twice = chat_model(["mistral", "mistral"], settings=chosen).failure()
    assert (twice.kind, "twice" in twice.message) == ("invalid_query", True)


def test_settings_that_cannot_be_read_are_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("providers: [")
    monkeypatch.setenv("WEBSEAM_CONFIG", str(broken))

    assert chat_model("openai").failure().kind == "invalid_setting"
