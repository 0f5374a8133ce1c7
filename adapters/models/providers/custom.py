"""Any OpenAI-compatible server. What settings declare starts from here.

Thinking is switched off with an effort of ``none``. Ollama wants ``think: false`` as well, which
others refuse; so it goes only where the address looks like Ollama's. It is never switched on.
"""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ....ports.models.chat import ChatRequest, Effort
from ..declaration.base_urls import url_host, url_port
from ..declaration.provider import Changes, ExtraBody, FieldRules, Login, Provider
from ..declaration.rules import effort_of

_OLLAMA_PORT = 11434
OPENAI_LEVELS: tuple[Effort, ...] = (
    "none",
    "minimal",
    "low",
    "medium",
    "high",
    "xhigh",
    "max",
)


def looks_like_ollama(base_url: str) -> bool:
    """Tell whether an address is Ollama's: by its port, or by a part of its host.

    >>> looks_like_ollama("http://10.0.0.5:11434/v1"), looks_like_ollama("https://ollama.com/v1")
    (True, True)
    >>> looks_like_ollama("https://api.groq.com/openai/v1")
    False
    """
    return url_port(base_url) == _OLLAMA_PORT or "ollama" in url_host(base_url).split(".")


def without_thinking(request: ChatRequest) -> Mapping[str, object]:
    """Ask for effort the usual way, and switch thinking off the way Ollama understands."""
    effort = effort_of(request, CUSTOM)
    if effort is None:
        return {}
    level: dict[str, object] = {"reasoning_effort": effort}
    return {**level, "think": False} if effort == "none" else level


def settle(provider: Provider, base_url: str) -> Provider:
    """Speak to Ollama as Ollama wants it."""
    ollama = provider.changes.reasoning is None and looks_like_ollama(base_url)
    return (
        replace(provider, changes=replace(provider.changes, reasoning=without_thinking))
        if ollama
        else provider
    )


def num_ctx(value: object) -> Result[ExtraBody, str]:
    """Say how many tokens Ollama keeps in its window."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        return Failure("it must be a number of tokens, such as 8192")
    return Success(lambda _request: {"options": {"num_ctx": value}})


CUSTOM = Provider(
    name="custom",
    aliases=("local", "openai-compatible"),
    title="A server of your own",
    login=Login(env=("CUSTOM_API_KEY",), base_url_env="CUSTOM_BASE_URL", needs_key=False),
    settle=settle,
    fields=FieldRules(efforts=OPENAI_LEVELS),
    changes=Changes(options={"num_ctx": num_ctx}),
)
