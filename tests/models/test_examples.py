from webseam.adapters.features.models.claude.content_blocks import clean_claude_id
from webseam.adapters.features.models.claude.facts import budget_effort
from webseam.adapters.features.models.declaration.base_urls import api_host, api_path, api_port
from webseam.adapters.features.models.gemini_thinking import gemini_thinking, gemini_version
from webseam.adapters.features.models.messages.media import Media, read_media_url
from webseam.adapters.features.models.messages.tool_calls import wire_name
from webseam.adapters.features.models.provider_registry import normal_provider_name
from webseam.adapters.features.models.providers.custom import is_ollama_url
from webseam.adapters.features.models.providers.deepseek import can_switch_thinking
from webseam.adapters.features.models.providers.mistral import mistral_call_id
from webseam.adapters.features.models.providers.ollama import _base_url
from webseam.adapters.features.models.providers.zai import glm_version
from webseam.adapters.features.models.usage import reported_cost
from webseam.adapters.features.models.wires.bedrock.bedrock_refusals import bedrock_exception_name
from webseam.adapters.features.models.wires.bedrock.converse_blocks import clean_bedrock_id
from webseam.adapters.features.models.wires.responses.replay import shared_call_id


def test_an_example_of_clean_claude_id() -> None:
    assert clean_claude_id("call.1|x") == "call_1_x"


def test_an_example_of_budget_effort() -> None:
    assert (budget_effort(10_000), budget_effort(100)) == ("medium", "minimal")


def test_an_example_of_declared_api_host() -> None:
    assert (
        api_host("https://API.example/v1"),
        api_host("http://[::1]:80/"),
        api_host("http://[bad/"),
    ) == ("api.example", "::1", "")


def test_an_example_of_declared_api_port() -> None:
    assert (
        api_port("http://box:11434/v1"),
        api_port("http://box/v1"),
        api_port("http://box:http/v1"),
    ) == (11434, None, None)


def test_an_example_of_declared_api_path() -> None:
    assert (
        api_path("https://api.example/v1/"),
        api_path("https://api.example/"),
    ) == ("/v1", "")


def test_an_example_of_gemini_version() -> None:
    assert [*map(gemini_version, ("models/gemini-2.5-pro", "gemini-flash-latest", "gemma-3"))] == [
        (2, 5),
        (9999, 0),
        None,
    ]


def test_an_example_of_gemini_thinking() -> None:
    assert gemini_thinking("high", "gemini-2.5-flash") == {
        "include_thoughts": True,
        "thinking_budget": 24576,
    }


def test_an_example_of_read_media_url() -> None:
    assert read_media_url("data:image/jpg;base64,/9j/") == Media(type="image/jpeg", data="/9j/")


def test_an_example_of_wire_name() -> None:
    assert (wire_name("web.search"), wire_name("lookup")) == ("web_search", "lookup")


def test_an_example_of_normal_provider_name() -> None:
    assert normal_provider_name(" Azure_OpenAI ") == "azure-openai"


def test_an_example_of_looks_like_ollama() -> None:
    assert (
        is_ollama_url("http://10.0.0.5:11434/v1"),
        is_ollama_url("https://ollama.com/v1"),
    ) == (True, True)
    assert not is_ollama_url("https://api.groq.com/openai/v1")


def test_an_example_of_can_deepseek_switch() -> None:
    names = ("deepseek-v4-flash", "deepseek-reasoner", "deepseek-v3.2")
    assert [*map(can_switch_thinking, names)] == [True, True, False]


def test_an_example_of_mistral_call_id() -> None:
    assert (mistral_call_id("abcDEF123"), mistral_call_id("call_1")) == ("abcDEF123", "74196fe72")


def test_an_example_of_ollama_base_url() -> None:
    assert (_base_url("0.0.0.0"), _base_url("https://box.example:8443")) == (  # noqa: S104  a name for every address
        "http://127.0.0.1:11434/v1",
        "https://box.example:8443/v1",
    )


def test_an_example_of_zai_glm_version() -> None:
    assert (
        glm_version("glm-4.5-flash"),
        glm_version("z-ai/glm-5"),
        glm_version("other"),
    ) == ((4, 5), (5, 0), (0, 0))


def test_an_example_of_reported_model_cost() -> None:
    assert (
        reported_cost({"cost": {"total_cost": 0.25}}),
        reported_cost({"cost_in_usd_ticks": 5_000_000_000}),
    ) == (0.25, 0.5)


def test_an_example_of_bedrock_exception_name() -> None:
    assert (
        bedrock_exception_name("com.amazon.coral#ThrottlingException:http://internal.amazon.com/")
        == "throttling"
    )


def test_an_example_of_clean_bedrock_id() -> None:
    assert clean_bedrock_id("call.1|x") == "call.1_x"


def test_an_example_of_responses_call_id() -> None:
    assert (shared_call_id("call_1|fc_2"), shared_call_id("fc_3")) == ("call_1", "call_3")
