"""A LiteLLM proxy, on this machine unless told otherwise."""

from ..provider import Provider

LITELLM = Provider(
    name="litellm",
    aliases=("litellm-proxy",),
    title="LiteLLM proxy",
    site="https://docs.litellm.ai",
    env=("LITELLM_API_KEY",),
    base_url="http://127.0.0.1:4000/v1",
    base_url_env="LITELLM_BASE_URL",
    needs_key=False,
)
