"""Vercel's AI Gateway: models of many providers, with OpenRouter's ``reasoning`` object."""

from ..declaration.provider import AGENT, TITLE, Changes, FieldRules, HttpDetails, Login, Provider
from ..declaration.rules import FAMILY_RULES, effort_of
from .openrouter import openrouter_effort

AI_GATEWAY: Provider = Provider(
    name="ai-gateway",
    aliases=("vercel", "vercel-ai-gateway"),
    title="Vercel AI Gateway",
    site="https://vercel.com/docs/ai-gateway",
    login=Login(
        env=("AI_GATEWAY_API_KEY",),
        base_url="https://ai-gateway.vercel.sh/v1",
        base_url_env="AI_GATEWAY_BASE_URL",
    ),
    http=HttpDetails(headers=(AGENT, TITLE)),
    fields=FieldRules(
        efforts=("none", "minimal", "low", "medium", "high", "xhigh"),
        models=FAMILY_RULES,
    ),
    changes=Changes(reasoning=lambda request: openrouter_effort(effort_of(request, AI_GATEWAY))),
    auxiliary_model="google/gemini-3-flash",
)
