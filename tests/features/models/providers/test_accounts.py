"""Whose key is taken from where, and to which address it goes."""

import pytest
from returns.result import Failure

from webseam.adapters.features.models.declaration.provider import Outgoing
from webseam.ports import NotConfigured

from .asking import REGISTRY, account, provider

CALL = Outgoing(url="https://x.example/", headers=(), content=b"{}")


@pytest.mark.parametrize(
    ("who", "environment", "base_url"),
    [
        ("kimi", {"KIMI_API_KEY": "sk-1"}, "https://api.moonshot.ai/v1"),
        ("kimi", {"MOONSHOT_API_KEY": "sk-kimi-1"}, "https://api.kimi.com/coding/v1"),
        (
            "kimi",
            {"KIMI_API_KEY": "sk-kimi-1", "KIMI_BASE_URL": "https://k.example/v1"},
            "https://k.example/v1",
        ),
        ("kimi-cn", {"KIMI_CN_API_KEY": "sk-kimi-1"}, "https://api.moonshot.cn/v1"),
        (
            "azure",
            {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"},
            "https://r.openai.azure.com/openai/v1",
        ),
        (
            "azure",
            {"AZURE_FOUNDRY_API_KEY": "k", "AZURE_FOUNDRY_BASE_URL": "https://r.example/x/v1"},
            "https://r.example/x/v1",
        ),
        (
            "azure",
            {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "http://[bad"},
            "http://[bad/openai/v1",
        ),
        (
            "gemini",
            {"GEMINI_API_KEY": "k"},
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
        (
            "gemini",
            {"GOOGLE_API_KEY": "k", "GEMINI_BASE_URL": "https://g.example/v1beta/"},
            "https://g.example/v1beta/openai",
        ),
        (
            "vertex",
            {"VERTEX_ACCESS_TOKEN": "t", "GOOGLE_CLOUD_PROJECT": "p-1"},
            "https://aiplatform.googleapis.com/v1/projects/p-1/locations/global/endpoints/openapi",
        ),
        (
            "vertex",
            {
                "VERTEX_ACCESS_TOKEN": "t",
                "GOOGLE_CLOUD_PROJECT": "p-1",
                "GOOGLE_CLOUD_LOCATION": "europe-west1",
            },
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p-1/locations/europe-west1/endpoints/openapi",
        ),
        (
            "vertex",
            {"VERTEX_ACCESS_TOKEN": "t", "VERTEX_BASE_URL": "https://v.example/openapi"},
            "https://v.example/openapi",
        ),
        ("ollama", {}, "http://127.0.0.1:11434/v1"),
        ("ollama", {"OLLAMA_HOST": "0.0.0.0:11434"}, "http://127.0.0.1:11434/v1"),
        ("ollama", {"OLLAMA_HOST": "box:9000"}, "http://box:9000/v1"),
        ("ollama", {"OLLAMA_HOST": "https://box.example/"}, "https://box.example/v1"),
        ("ollama", {"OLLAMA_HOST": "[::1]"}, "http://[::1]:11434/v1"),
        ("ollama", {"OLLAMA_HOST": "box", "OLLAMA_BASE_URL": "http://b:1/v1"}, "http://b:1/v1"),
        ("custom", {"CUSTOM_BASE_URL": "http://127.0.0.1:9/v1/"}, "http://127.0.0.1:9/v1"),
        ("xai", {"XAI_API_KEY": "k", "XAI_BASE_URL": "https://x.example"}, "https://x.example"),
    ],
)
def test_a_key_goes_to_its_address(who: str, environment: dict[str, str], base_url: str) -> None:
    assert account(who, **environment).base_url == base_url


@pytest.mark.parametrize(
    ("who", "environment", "setting"),
    [
        ("openai", {}, "OPENAI_API_KEY"),
        ("openai", {"OPENAI_API_KEY": "  "}, "OPENAI_API_KEY"),
        ("kimi", {}, "KIMI_API_KEY or KIMI_CODING_API_KEY or MOONSHOT_API_KEY"),
        ("custom", {}, "CUSTOM_BASE_URL"),
        (
            "azure",
            {"AZURE_OPENAI_API_KEY": "k"},
            "AZURE_OPENAI_BASE_URL or AZURE_OPENAI_ENDPOINT or AZURE_FOUNDRY_BASE_URL",
        ),
        ("vertex", {"VERTEX_ACCESS_TOKEN": "t"}, "GOOGLE_CLOUD_PROJECT"),
        ("vertex", {"GOOGLE_CLOUD_PROJECT": "p/../q"}, "GOOGLE_CLOUD_PROJECT"),
        (
            "vertex",
            {"GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "evil.example/"},
            "GOOGLE_CLOUD_LOCATION",
        ),
        ("anthropic", {"ANTHROPIC_TOKEN": "sk-ant-oat01-x"}, "ANTHROPIC_API_KEY"),
    ],
)
def test_missing_account_names_the_variable_to_set(
    who: str, environment: dict[str, str], setting: str
) -> None:
    named = provider(who)

    account_read = named.account(environment)

    assert isinstance(account_read, Failure)
    assert isinstance(account_read.failure(), NotConfigured)
    assert (account_read.failure().settings, account_read.failure().backend) == (
        tuple(setting.split(" or ")),
        named.name,
    )
    assert "oat01" not in account_read.failure().message


@pytest.mark.parametrize(
    ("who", "environment", "header"),
    [
        ("openai", {"OPENAI_API_KEY": "k"}, ("authorization", "Bearer k")),
        ("minimax", {"MINIMAX_API_KEY": "k"}, ("authorization", "Bearer k")),
        ("anthropic", {"ANTHROPIC_API_KEY": "k"}, ("x-api-key", "k")),
        (
            "azure",
            {"AZURE_OPENAI_API_KEY": "k", "AZURE_OPENAI_ENDPOINT": "https://r"},
            ("api-key", "k"),
        ),
    ],
)
def test_a_key_is_shown_in_one_way(
    who: str, environment: dict[str, str], header: tuple[str, str]
) -> None:
    assert provider(who).login.prove(CALL, account(who, **environment), 0.0) == (header,)


def test_local_servers_need_no_key() -> None:
    for who in ("ollama", "lmstudio", "vllm", "llamacpp", "litellm"):
        held = account(who)

        assert held.base_url.startswith("http://127.0.0.1:")
        assert provider(who).login.prove(CALL, held, 0.0) == ()


def test_everybody_who_is_not_on_this_machine_is_reached_over_https() -> None:
    addresses = [each.login.base_url for each in REGISTRY.providers.values() if each.login.base_url]

    assert all(address.startswith(("https://", "http://127.0.0.1:")) for address in addresses)
