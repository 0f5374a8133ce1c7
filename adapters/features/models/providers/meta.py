"""Meta's own API, over Responses: it always thinks, with at least minimal effort."""

from collections.abc import Mapping

from webseam.ports.models import ChatRequest

from ..declaration.provider import Changes, Efforts, FieldRules, HistoryRules, Login, Provider
from ..declaration.rules import clamp_effort

_EFFORTS: Efforts = ("minimal", "low", "medium", "high", "xhigh")


def meta_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the effort; none becomes minimal."""
    level = clamp_effort(request.reasoning_effort, _EFFORTS, {"none": "minimal"})
    return {} if level is None else {"reasoning": {"effort": level}}


META = Provider(
    name="meta",
    aliases=("meta-ai", "muse"),
    title="Meta AI",
    site="https://dev.meta.ai",
    api_mode="responses",
    login=Login(
        env=("MODEL_API_KEY", "META_API_KEY"),
        base_url="https://api.meta.ai/v1",
        base_url_env="META_BASE_URL",
    ),
    fields=FieldRules(max_tokens=16384, efforts=_EFFORTS),
    changes=Changes(
        extra_body=lambda _request: {"prompt_cache_retention": "24h"},
        reasoning=meta_reasoning,
    ),
    history=HistoryRules(images_in_tool_results=False),
)
