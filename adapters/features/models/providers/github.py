"""GitHub Models, with a token that has the ``models`` scope; not Copilot's API.

https://docs.github.com/en/rest/models/inference (read 2026-11-15)
"""

from collections.abc import Mapping

from webseam.ports.models import ChatRequest

from ..declaration import provider
from ..declaration.rules import effort_of


def github_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the effort for models that have levels in GitHub's catalogue."""
    effort = effort_of(request, GITHUB)
    return {} if effort is None else {"reasoning": {"effort": effort}}


GITHUB = provider.Provider(
    name="github",
    aliases=("github-models", "github-model"),
    title="GitHub Models",
    site="https://docs.github.com/github-models",
    login=provider.Login(
        env=("GITHUB_MODELS_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"),
        base_url="https://models.github.ai/inference",
        base_url_env="GITHUB_MODELS_BASE_URL",
    ),
    http=provider.HttpDetails(headers=(("x-github-api-version", "2022-11-28"),)),
    fields=provider.FieldRules(
        efforts=(),
        models=(
            provider.ModelRule(contains="gpt-5-chat", efforts=()),
            *(
                provider.ModelRule(
                    contains=name, temperature="omit", efforts=("low", "medium", "high")
                )
                for name in ("openai/gpt-5", "openai/o1", "openai/o3", "openai/o4-mini")
            ),
        ),
    ),
    history=provider.HistoryRules(reasoning_fields=frozenset()),
    changes=provider.Changes(reasoning=github_reasoning),
    auxiliary_model="openai/gpt-4.1-mini",
)
