"""OpenRouter: many providers' models behind one key.

Settings of its own: ``preferences`` (which providers may serve, in which order) and
``min_coding_score``, which the Pareto router alone reads.
"""

from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ....ports.models.chat import ChatRequest, Effort
from ..claude.facts import identify_claude
from ..declaration.provider import (
    AGENT,
    TITLE,
    Changes,
    Efforts,
    ExtraBody,
    FieldRules,
    Headers,
    HistoryRules,
    HttpDetails,
    Login,
    Provider,
)
from ..declaration.rules import clamp_effort, effort_of
from .xai import conversation_header

_PARETO = "openrouter/pareto-code"
_GROK = ("x-ai/grok-", "xai/grok-")
_VERBOSE: Efforts = ("low", "medium", "high", "xhigh", "max")


def grok_conversation(request: ChatRequest) -> Headers:
    """Keep a conversation with Grok on one cache, as xAI itself would."""
    return conversation_header(request) if request.model.startswith(_GROK) else ()


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for effort in OpenRouter's own object; unasked, the model decides.

    A Claude that always thinks refuses that object in the middle of tool calls; its effort is read
    from ``verbosity`` instead.
    """
    effort, claude = effort_of(request, OPENROUTER), identify_claude(request.model)
    if effort is None or claude is None or not claude.is_adaptive:
        return in_object(effort)
    level = clamp_effort(request.reasoning_effort, _VERBOSE)
    return {} if level is None else {"verbosity": level}


def in_object(effort: Effort | None) -> Mapping[str, object]:
    """Write an effort into a ``reasoning`` object that also says whether there is any."""
    if effort is None:
        return {}
    off = effort == "none"
    return {"reasoning": {"enabled": False} if off else {"enabled": True, "effort": effort}}


def thinking_budget(tokens: int) -> Mapping[str, object]:
    """Ask for so many tokens to think with."""
    return {"reasoning": {"max_tokens": tokens} if tokens else {"enabled": False}}


def extra_body(request: ChatRequest) -> Mapping[str, object]:
    """Ask what the call cost, and keep a session where it is cached."""
    fields: dict[str, object] = {"usage": {"include": True}}
    return {**fields, "session_id": request.session} if request.session else fields


def preferences(value: object) -> Result[ExtraBody, str]:
    """Say which providers may serve: only, ignore, order, sort, data_collection, zdr, ..."""
    if not isinstance(value, Mapping):
        return Failure("it must be a block such as {order: [anthropic], data_collection: deny}")
    return Success(lambda _request: {"provider": dict(value)})


def min_coding_score(value: object) -> Result[ExtraBody, str]:
    """Say how well the Pareto router's choice must code, from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return Failure("it must be a number from 0 to 1")
    plugin = {"id": "pareto-router", "min_coding_score": value}
    return Success(lambda request: {"plugins": [plugin]} if request.model == _PARETO else {})


OPENROUTER = Provider(
    name="openrouter",
    aliases=("or", "open-router"),
    title="OpenRouter",
    site="https://openrouter.ai/docs",
    login=Login(
        env=("OPENROUTER_API_KEY",),
        base_url="https://openrouter.ai/api/v1",
        base_url_env="OPENROUTER_BASE_URL",
    ),
    http=HttpDetails(headers=(AGENT, TITLE), request_headers=grok_conversation),
    fields=FieldRules(efforts=("none", "minimal", "low", "medium", "high", "xhigh")),
    changes=Changes(
        extra_body=extra_body,
        reasoning=reasoning,
        thinking_budget=thinking_budget,
        options={"preferences": preferences, "min_coding_score": min_coding_score},
    ),
    auxiliary_model="openrouter/auto",
    history=HistoryRules(cache_marks=True),
)
