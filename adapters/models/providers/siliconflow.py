"""SiliconFlow."""

from ..provider import Provider

SILICONFLOW = Provider(
    name="siliconflow",
    aliases=("silicon-flow",),
    title="SiliconFlow",
    site="https://docs.siliconflow.com",
    env=("SILICONFLOW_API_KEY",),
    base_url="https://api.siliconflow.com/v1",
    base_url_env="SILICONFLOW_BASE_URL",
)
