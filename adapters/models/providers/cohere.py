"""Cohere, on the surface that is compatible with OpenAI's."""

from ..provider import Provider

COHERE = Provider(
    name="cohere",
    aliases=("cohere-ai",),
    title="Cohere",
    site="https://docs.cohere.com",
    env=("COHERE_API_KEY", "CO_API_KEY"),
    base_url="https://api.cohere.ai/compatibility/v1",
    base_url_env="COHERE_BASE_URL",
)
