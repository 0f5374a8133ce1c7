"""Cerebras: the open models, fast; earlier thoughts are refused."""

from ..provider import ModelRule, Provider

CEREBRAS = Provider(
    name="cerebras",
    title="Cerebras",
    site="https://inference-docs.cerebras.ai",
    env=("CEREBRAS_API_KEY",),
    base_url="https://api.cerebras.ai/v1",
    base_url_env="CEREBRAS_BASE_URL",
    max_tokens_field="max_completion_tokens",
    efforts=(),
    models=(ModelRule(contains="gpt-oss", efforts=("low", "medium", "high")),),
    reasoning_fields=frozenset(),
)
