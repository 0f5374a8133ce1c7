"""Novita."""

from ..provider import Provider

NOVITA = Provider(
    name="novita",
    aliases=("novita-ai", "novitaai"),
    title="Novita",
    site="https://novita.ai/docs",
    env=("NOVITA_API_KEY",),
    base_url="https://api.novita.ai/openai/v1",
    base_url_env="NOVITA_BASE_URL",
    auxiliary_model="deepseek/deepseek-v3-0324",
)
