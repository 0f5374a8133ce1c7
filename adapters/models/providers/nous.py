"""Nous Portal: tags that name the product, and sessions that stay where they are cached."""

from collections.abc import Mapping

from ....ports.models.chat import ChatRequest
from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import effort_of
from .openrouter import in_object

_TAGS = ("product=webseam",)


def request_tags(request: ChatRequest) -> Mapping[str, object]:
    """Name this product, and the conversation if it has a name."""
    tags: dict[str, object] = {"tags": list(_TAGS)}
    return {**tags, "session_id": request.session} if request.session else tags


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for effort; to switch it off is a 400 for models that cannot, so that is left out."""
    effort = effort_of(request, NOUS)
    return {} if effort == "none" else in_object(effort)


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
        # OpenRouter's preferences, which are a 400 here.
        drop=frozenset({"provider"}),
    ),
    changes=Changes(extra_body=request_tags, reasoning=reasoning),
)
