"""DeepInfra."""

from ..provider import Provider

DEEPINFRA = Provider(
    name="deepinfra",
    aliases=("deep-infra", "deepinfra-ai"),
    title="DeepInfra",
    site="https://deepinfra.com/docs",
    env=("DEEPINFRA_API_KEY",),
    base_url="https://api.deepinfra.com/v1/openai",
    base_url_env="DEEPINFRA_BASE_URL",
)
