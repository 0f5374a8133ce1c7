"""OpenAI: Responses by default, Chat Completions as ``openai-chat``.

Other hosts behind ``OPENAI_BASE_URL`` may not know OpenAI's newest fields. Its own setting is
``reasoning_summary``.
"""

from functools import partial

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.planning import TokenPrice

from ..declaration.base_urls import api_host
from ..declaration.provider import (
    Changes,
    Efforts,
    ExtraBody,
    FieldRules,
    Login,
    ModelRule,
    Provider,
    ResponsesFacts,
)

_API_HOST = "api.openai.com"
_LOW_TO_MAX: Efforts = ("low", "medium", "high", "xhigh", "max")
_NONE_TO_XHIGH: Efforts = ("none", "low", "medium", "high", "xhigh")

# The first match counts, so a narrower name comes before a wider one.
OPENAI_MODELS = (
    ModelRule(contains="gpt-3.5", efforts=()),
    ModelRule(contains="gpt-4", efforts=()),
    # These two cannot stop thinking, and take no temperature.
    ModelRule(contains="gpt-6-astra", temperature="omit", efforts=_LOW_TO_MAX),
    ModelRule(contains="gpt-6.1-sol", temperature="omit", efforts=_LOW_TO_MAX),
    ModelRule(contains="gpt-6", temperature="unthinking", efforts=("none", *_LOW_TO_MAX)),
    ModelRule(contains="gpt-5.6", temperature="unthinking", efforts=("none", *_LOW_TO_MAX)),
    ModelRule(contains="gpt-5-chat", efforts=()),
    ModelRule(contains="gpt-5.", temperature="unthinking", efforts=_NONE_TO_XHIGH),
    ModelRule(contains="gpt-5", temperature="omit", efforts=("minimal", "low", "medium", "high")),
    *(
        ModelRule(contains=name, temperature="omit", efforts=("low", "medium", "high"))
        for name in ("o1", "o3", "o4-mini")
    ),
)
# OpenAI's own page was not accessible; these two quote it.
_PRICES_PAGE = "https://benchlm.ai/blog/posts/openai-api-pricing"


def openai_summary_option(value: object) -> Result[ExtraBody, str]:
    """Return the field for a summary of thoughts; OpenAI requires a verified organization."""
    if value not in ("auto", "concise", "detailed"):
        return Failure("it must be auto, concise or detailed")
    return Success(lambda _request: {"reasoning": {"summary": value}})


def settle_openai(provider: Provider, base_url: str) -> Provider:
    """Drop ``prompt_cache_key`` for other hosts: strict servers refuse it.

    Many of them have no Responses API, so their 404 names the provider that does without.
    """
    if api_host(base_url) == _API_HOST:
        return provider
    return replace(
        provider,
        fields=replace(provider.fields, prompt_cache_key=False),
        responses=replace(provider.responses, chat_provider="openai-chat"),
    )


_price = partial(TokenPrice, page=_PRICES_PAGE, read="2026-11-15")
OPENAI_PRICES = {
    "gpt-5.4": _price(input=2.5, output=15, cached=0.25),
    "gpt-5.4-mini": _price(input=0.75, output=4.5, cached=0.075),
    "gpt-5.4-nano": _price(input=0.2, output=1.25, cached=0.02),
    "gpt-5.2": _price(input=1.75, output=14, cached=0.175),
    "gpt-5.1": _price(input=1.25, output=10, cached=0.125),
    "gpt-5-mini": _price(input=0.25, output=2, page="https://openrouter.ai/openai/gpt-5-mini"),
}

OPENAI = Provider(
    name="openai",
    aliases=("openai-api", "openai-responses"),
    title="OpenAI",
    site="https://platform.openai.com",
    api_mode="responses",
    login=Login(
        env=("OPENAI_API_KEY",),
        base_url=f"https://{_API_HOST}/v1",
        base_url_env="OPENAI_BASE_URL",
    ),
    settle=settle_openai,
    fields=FieldRules(efforts=_NONE_TO_XHIGH, models=OPENAI_MODELS, prompt_cache_key=True),
    changes=Changes(options={"reasoning_summary": openai_summary_option}),
    auxiliary_model="gpt-5-mini",
    responses=ResponsesFacts(encrypted_reasoning=True),
    prices=OPENAI_PRICES,
)

OPENAI_CHAT = replace(
    OPENAI,
    name="openai-chat",
    aliases=("openai-completions",),
    title="OpenAI (Chat Completions)",
    api_mode="chat_completions",
    fields=replace(OPENAI.fields, max_tokens_field="max_completion_tokens"),
    changes=replace(OPENAI.changes, options={}),
    history=replace(
        OPENAI.history,
        reasoning_fields=frozenset(),
        # This API accepts images only from users.
        images_in_tool_results=False,
    ),
    responses=replace(OPENAI.responses, encrypted_reasoning=False),
)
