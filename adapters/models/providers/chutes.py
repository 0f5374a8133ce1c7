"""Chutes."""

from ..provider import Provider

CHUTES = Provider(
    name="chutes",
    aliases=("chutes-ai",),
    title="Chutes",
    site="https://chutes.ai/docs",
    env=("CHUTES_API_KEY",),
    base_url="https://llm.chutes.ai/v1",
    base_url_env="CHUTES_BASE_URL",
)
