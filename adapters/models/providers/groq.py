"""Groq: refuses fields it does not know, effort included where the model has none."""

from ..provider import ModelRule, Provider

GROQ = Provider(
    name="groq",
    aliases=("groqcloud",),
    title="Groq",
    site="https://console.groq.com/docs",
    env=("GROQ_API_KEY",),
    base_url="https://api.groq.com/openai/v1",
    base_url_env="GROQ_BASE_URL",
    efforts=(),
    models=(ModelRule(contains="gpt-oss", efforts=("low", "medium", "high")),),
    reasoning_fields=frozenset(),
)
