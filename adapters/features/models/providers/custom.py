"""Any OpenAI-compatible server, and the base of providers that settings declare.

An effort of ``none`` switches thinking off. Ollama also needs ``think: false``, which others
refuse, so only a base URL that looks like Ollama's gets it. ``think: true`` is never sent.
"""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.models import ChatRequest, Effort

from ..declaration.base_urls import api_host, api_port
from ..declaration.provider import Changes, ExtraBody, FieldRules, Login, Provider
from ..declaration.rules import FAMILY_RULES, effort_of

_OLLAMA_PORT = 11434
OPENAI_EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


def is_ollama_url(base_url: str) -> bool:
    """Tell whether a base URL is Ollama's, by its port or a label of its host.

    >>> is_ollama_url("http://10.0.0.5:11434/v1")
    True
    >>> is_ollama_url("https://ollama.com/v1")
    True
    >>> not is_ollama_url("https://api.groq.com/openai/v1")
    True
    """
    return api_port(base_url) == _OLLAMA_PORT or "ollama" in api_host(base_url).split(".")


def ollama_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the effort field, with ``think: false`` for an effort of none."""
    effort = effort_of(request, CUSTOM)
    if effort is None:
        return {}
    level: dict[str, object] = {"reasoning_effort": effort}
    return {**level, "think": False} if effort == "none" else level


def settle_custom_provider(provider: Provider, base_url: str) -> Provider:
    """Return the provider with Ollama's fields for thinking if the base URL is Ollama's."""
    is_ollama = provider.changes.reasoning is None and is_ollama_url(base_url)
    return (
        replace(provider, changes=replace(provider.changes, reasoning=ollama_reasoning))
        if is_ollama
        else provider
    )


def ollama_num_ctx_option(value: object) -> Result[ExtraBody, str]:
    """Return the field for the size of Ollama's context window in tokens."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return Failure("it must be a number of tokens, such as 8192")
    return Success(lambda _request: {"options": {"num_ctx": value}})


CUSTOM = Provider(
    name="custom",
    aliases=("local", "openai-compatible"),
    title="A server of your own",
    login=Login(env=("CUSTOM_API_KEY",), base_url_env="CUSTOM_BASE_URL", needs_key=False),
    settle=settle_custom_provider,
    fields=FieldRules(efforts=OPENAI_EFFORTS, models=FAMILY_RULES),
    changes=Changes(options={"num_ctx": ollama_num_ctx_option}),
)
