"""Nous Portal: tags name the product, and a session id keeps a conversation on one cache."""

from collections.abc import Mapping

from webseam.ports.models import ChatRequest

from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import FAMILY_RULES, effort_of
from .openrouter import openrouter_effort

_PRODUCT_TAGS = ("product=webseam",)


def nous_request_tags(request: ChatRequest) -> Mapping[str, object]:
    """Return the product's tags, and the session id if there is one."""
    tags: dict[str, object] = {"tags": list(_PRODUCT_TAGS)}
    return {**tags, "session_id": request.session} if request.session else tags


def nous_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the effort; none is omitted, because some models answer 400 to it."""
    effort = effort_of(request, NOUS)
    return {} if effort == "none" else openrouter_effort(effort)


NOUS = Provider(
    name="nous",
    aliases=("nous-portal", "nousresearch"),
    title="Nous Portal",
    site="https://portal.nousresearch.com",
    login=Login(
        env=("NOUS_API_KEY",),
        base_url="https://inference-api.nousresearch.com/v1",
        base_url_env="NOUS_BASE_URL",
    ),
    fields=FieldRules(
        efforts=("none", "minimal", "low", "medium", "high", "xhigh"),
        models=FAMILY_RULES,
        # Nous answers 400 to OpenRouter's preferences.
        drop=frozenset({"provider"}),
    ),
    changes=Changes(extra_body=nous_request_tags, reasoning=nous_reasoning),
)
