"""Arcee: its thinking model answers well at one temperature only."""

from ..provider import ModelRule, Provider

ARCEE = Provider(
    name="arcee",
    aliases=("arcee-ai", "arceeai"),
    title="Arcee",
    site="https://docs.arcee.ai",
    env=("ARCEEAI_API_KEY", "ARCEE_API_KEY"),
    base_url="https://api.arcee.ai/api/v1",
    base_url_env="ARCEE_BASE_URL",
    models=(ModelRule(contains="trinity-large-thinking", temperature=0.5),),
)
