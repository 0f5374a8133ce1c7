"""Z.ai: GLM, which thinks as it likes unless it is told."""

import re
from collections.abc import Mapping

from ....ports.models.chat import ChatRequest, Effort
from ..declaration.provider import Changes, FieldRules, Login, Provider
from ..declaration.rules import clamp_effort

_VERSION = re.compile(r"glm-(\d{1,4})(?!\d)(?:[.p](\d{1,4})(?!\d))?")
_FIRST_SWITCHED = (4, 5)
_LEVELS: Mapping[tuple[int, int], tuple[Effort, ...]] = {
    (5, 2): ("high", "max"),
    (5, 3): ("low", "medium", "high", "max"),
}


def glm_version(model: str) -> tuple[int, int]:
    """Return which GLM a model is; (0, 0) is none.

    >>> glm_version("glm-4.5-flash"), glm_version("z-ai/glm-5"), glm_version("other")
    ((4, 5), (5, 0), (0, 0))
    """
    match = _VERSION.search(model.lower())
    return (int(match.group(1)), int(match.group(2) or 0)) if match else (0, 0)


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Switch thinking if that was asked, and say how hard where the model has levels."""
    effort, which = request.reasoning_effort, glm_version(request.model)
    if effort is None or which < _FIRST_SWITCHED:
        return {}
    if effort == "none":
        return {"thinking": {"type": "disabled"}}
    level = clamp_effort(effort, _LEVELS.get(which, ()))
    switched: dict[str, object] = {"thinking": {"type": "enabled"}}
    return switched if level is None else {**switched, "reasoning_effort": level}


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
    changes=Changes(reasoning=reasoning),
    fields=FieldRules(structured_output="json_object"),
    auxiliary_model="glm-4.5-flash",
)
