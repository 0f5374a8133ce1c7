"""OpenRouter: models of many providers with one key.

Its own settings are ``preferences`` (which providers may serve, in which order) and
``min_coding_score``, which only the Pareto router reads.
"""

from collections.abc import Mapping

from returns.result import Failure, Result, Success

from webseam.ports.models import ChatRequest, Effort

from ..claude.facts import claude_thinking, identify_claude
from ..declaration import provider
from ..declaration.rules import FAMILY_RULES, clamp_effort, effort_of
from .xai import grok_conversation_header

_PARETO_MODEL = "openrouter/pareto-code"
_GROK_PREFIXES = ("x-ai/grok-", "xai/grok-")
_VERBOSITY_LEVELS: provider.Efforts = ("low", "medium", "high", "xhigh", "max")


def openrouter_grok_header(request: ChatRequest) -> provider.Headers:
    """Return the header that keeps a conversation with Grok on one cache, as at xAI."""
    return grok_conversation_header(request) if request.model.startswith(_GROK_PREFIXES) else ()


def openrouter_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the effort in OpenRouter's ``reasoning`` object; nothing without an effort.

    An adaptive Claude refuses that object in the middle of tool calls; ``verbosity`` sets its
    effort instead. One that thinks by default is told to stop, or, if it cannot, to think little.
    """
    effort, claude = effort_of(request, OPENROUTER), identify_claude(request.model)
    if effort is None or claude is None or not claude.is_adaptive:
        return openrouter_effort(effort)
    if effort == "none" and claude.thinks_by_default:
        is_off = claude_thinking(effort, None, claude, 0).thinking == {"type": "disabled"}
        return openrouter_effort(effort) if is_off else {"verbosity": "low"}
    level = clamp_effort(request.reasoning_effort, _VERBOSITY_LEVELS)
    return {} if level is None else {"verbosity": level}


def openrouter_effort(effort: Effort | None) -> Mapping[str, object]:
    """Return an effort as a ``reasoning`` object with ``enabled``."""
    if effort is None:
        return {}
    is_off = effort == "none"
    return {"reasoning": {"enabled": False} if is_off else {"enabled": True, "effort": effort}}


def openrouter_thinking_budget(tokens: int) -> Mapping[str, object]:
    """Return the field for a number of thinking tokens; 0 switches thinking off."""
    return {"reasoning": {"max_tokens": tokens} if tokens else {"enabled": False}}


def openrouter_extra_body(request: ChatRequest) -> Mapping[str, object]:
    """Return the fields that ask for the cost, and keep a session on one cache."""
    fields: dict[str, object] = {"usage": {"include": True}}
    return {**fields, "session_id": request.session} if request.session else fields


def openrouter_preferences(value: object) -> Result[provider.ExtraBody, str]:
    """Return the field for provider preferences: only, ignore, order, sort, zdr and others."""
    if not isinstance(value, Mapping):
        return Failure("it must be a block such as {order: [anthropic], data_collection: deny}")
    return Success(lambda _request: {"provider": dict(value)})


def openrouter_coding_score(value: object) -> Result[provider.ExtraBody, str]:
    """Return the field for the least coding score of the Pareto router, from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return Failure("it must be a number from 0 to 1")
    plugin = {"id": "pareto-router", "min_coding_score": value}
    return Success(lambda request: {"plugins": [plugin]} if request.model == _PARETO_MODEL else {})


OPENROUTER = provider.Provider(
    name="openrouter",
    aliases=("or", "open-router"),
    title="OpenRouter",
    site="https://openrouter.ai/docs",
    login=provider.Login(
        env=("OPENROUTER_API_KEY",),
        base_url="https://openrouter.ai/api/v1",
        base_url_env="OPENROUTER_BASE_URL",
    ),
    http=provider.HttpDetails(
        headers=(provider.AGENT, provider.TITLE),
        request_headers=openrouter_grok_header,
    ),
    fields=provider.FieldRules(
        efforts=("none", "minimal", "low", "medium", "high", "xhigh"),
        models=FAMILY_RULES,
    ),
    changes=provider.Changes(
        extra_body=openrouter_extra_body,
        reasoning=openrouter_reasoning,
        thinking_budget=openrouter_thinking_budget,
        options={
            "preferences": openrouter_preferences,
            "min_coding_score": openrouter_coding_score,
        },
    ),
    auxiliary_model="openrouter/auto",
    history=provider.HistoryRules(cache_marks=True),
)
