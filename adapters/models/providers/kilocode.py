"""Kilo Code's gateway."""

from ..provider import Provider

KILOCODE = Provider(
    name="kilocode",
    aliases=("kilo", "kilo-code", "kilo-gateway"),
    title="Kilo Code",
    site="https://kilo.ai/docs",
    env=("KILOCODE_API_KEY",),
    base_url="https://api.kilo.ai/api/gateway",
    base_url_env="KILOCODE_BASE_URL",
    auxiliary_model="google/gemini-3-flash-preview",
)
