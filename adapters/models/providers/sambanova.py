"""SambaNova."""

from ..provider import Provider

SAMBANOVA = Provider(
    name="sambanova",
    aliases=("samba-nova",),
    title="SambaNova",
    site="https://docs.sambanova.ai",
    env=("SAMBANOVA_API_KEY",),
    base_url="https://api.sambanova.ai/v1",
    base_url_env="SAMBANOVA_BASE_URL",
)
