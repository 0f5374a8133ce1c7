"""Meta's own API, over Responses: it always thinks, the least it can be asked for is minimal."""

from collections.abc import Mapping

from ....ports.models.chat import ChatRequest
from ..declaration.provider import Changes, Efforts, FieldRules, HistoryRules, Login, Provider
from ..declaration.rules import clamp_effort

_LEVELS: Efforts = ("minimal", "low", "medium", "high", "xhigh")


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for a level; off is the weakest there is."""
    level = clamp_effort(request.reasoning_effort, _LEVELS, {"none": "minimal"})
    return {} if level is None else {"reasoning": {"effort": level}}


def kept_for_a_day(_request: ChatRequest) -> Mapping[str, object]:
    """Keep the prompt's cache for a day."""
    return {"prompt_cache_retention": "24h"}


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
    fields=FieldRules(max_tokens=16384, efforts=_LEVELS),
    changes=Changes(extra_body=kept_for_a_day, reasoning=reasoning),
    history=HistoryRules(images_in_tool_results=False),
)
