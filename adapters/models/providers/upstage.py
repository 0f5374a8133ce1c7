"""Upstage: Solar has levels of effort, but for its smallest models."""

from ..provider import ModelRule, Provider

UPSTAGE = Provider(
    name="upstage",
    aliases=("solar",),
    title="Upstage",
    site="https://console.upstage.ai/docs",
    env=("UPSTAGE_API_KEY",),
    base_url="https://api.upstage.ai/v1",
    base_url_env="UPSTAGE_BASE_URL",
    efforts=("low", "medium", "high"),
    models=(
        ModelRule(contains="solar-mini", efforts=()),
        ModelRule(contains="syn-pro", efforts=()),
    ),
)
