"""Together AI."""

from ..provider import Provider

TOGETHER = Provider(
    name="together",
    aliases=("together-ai", "togetherai"),
    title="Together AI",
    site="https://docs.together.ai",
    env=("TOGETHER_API_KEY",),
    base_url="https://api.together.xyz/v1",
    base_url_env="TOGETHER_BASE_URL",
)
