"""Z.ai: GLM, which decides about thinking unless a request sets it."""

import re
from collections.abc import Mapping

from webseam.ports.models import ChatRequest, Effort

from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import clamp_effort

_GLM_VERSION_PATTERN = re.compile(r"glm-(\d{1,4})(?!\d)(?:[.p](\d{1,4})(?!\d))?")
_FIRST_SWITCHABLE_VERSION = (4, 5)
_GLM_EFFORTS: Mapping[tuple[int, int], tuple[Effort, ...]] = {
    (5, 2): ("high", "max"),
    (5, 3): ("low", "medium", "high", "max"),
}


def glm_version(model: str) -> tuple[int, int]:
    """Return the version of a GLM model; (0, 0) for other models.

    >>> glm_version("glm-4.5-flash")
    (4, 5)
    >>> glm_version("z-ai/glm-5")
    (5, 0)
    >>> glm_version("other")
    (0, 0)
    """
    match = _GLM_VERSION_PATTERN.search(model.lower())
    return (int(match.group(1)), int(match.group(2) or 0)) if match else (0, 0)


def zai_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the thinking switch, with a level where the model has levels."""
    effort, version = request.reasoning_effort, glm_version(request.model)
    if effort is None or version < _FIRST_SWITCHABLE_VERSION:
        return {}
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    level = clamp_effort(effort, _GLM_EFFORTS.get(version, ()))
    fields: dict[str, object] = {"thinking": {"type": "enabled"}}
    return fields if level is None else {**fields, "reasoning_effort": level}


ZAI = Provider(
    name="zai",
    aliases=("glm", "z-ai", "z.ai", "zhipu"),
    title="Z.ai",
    site="https://docs.z.ai",
    login=Login(
        env=("GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"),
        base_url="https://api.z.ai/api/paas/v4",
        base_url_env="GLM_BASE_URL",
    ),
    changes=Changes(reasoning=zai_reasoning),
    fields=FieldRules(structured_output="json_object"),
    auxiliary_model="glm-4.5-flash",
)
