"""Nebius Token Factory."""

from ..provider import Provider

NEBIUS = Provider(
    name="nebius",
    aliases=("token-factory",),
    title="Nebius Token Factory",
    site="https://docs.tokenfactory.nebius.com",
    env=("NEBIUS_API_KEY",),
    base_url="https://api.tokenfactory.nebius.com/v1",
    base_url_env="NEBIUS_BASE_URL",
    efforts=("low", "medium", "high"),
)
