"""Vercel's AI Gateway: many providers' models, effort asked for as at OpenRouter."""

from ..attribution import AGENT, TITLE
from ..provider import Provider
from .openrouter import reasoning

AI_GATEWAY = Provider(
    name="ai-gateway",
    aliases=("vercel", "vercel-ai-gateway"),
    title="Vercel AI Gateway",
    site="https://vercel.com/docs/ai-gateway",
    env=("AI_GATEWAY_API_KEY",),
    base_url="https://ai-gateway.vercel.sh/v1",
    base_url_env="AI_GATEWAY_BASE_URL",
    headers=(AGENT, TITLE),
    reasoning=reasoning,
    auxiliary_model="google/gemini-3-flash",
)
