"""Acme, an invented provider: OpenAI-compatible, but for how it is told to think."""

from collections.abc import Mapping

from webseam.providers import (
    Changes,
    ChatRequest,
    FieldRules,
    Login,
    ModelRule,
    Provider,
    effort_of,
)


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for thoughts the way Acme wants it; unasked, say nothing."""
    effort = effort_of(request, ACME)
    if effort is None:
        return {}
    return {"thinking": "off" if effort == "none" else effort}


ACME = Provider(
    name="acme",
    aliases=("acme-ai",),
    title="Acme",
    site="https://acme.example/docs",
    login=Login(
        env=("ACME_API_KEY",),
        base_url="https://api.acme.example/v1",
        base_url_env="ACME_BASE_URL",
    ),
    fields=FieldRules(
        max_tokens=8192,
        efforts=("none", "low", "high"),
        models=(ModelRule(contains="acme-fast", efforts=(), temperature="omit"),),
    ),
    changes=Changes(reasoning=reasoning),
    auxiliary_model="acme-fast-1",
)
