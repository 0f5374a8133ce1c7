"""Tencent TokenHub."""

from ..provider import Provider

TENCENT = Provider(
    name="tencent-tokenhub",
    aliases=("tokenhub", "tencent"),
    title="Tencent TokenHub",
    site="https://tokenhub.tencentmaas.com",
    env=("TOKENHUB_API_KEY",),
    base_url="https://tokenhub.tencentmaas.com/v1",
    base_url_env="TOKENHUB_BASE_URL",
    efforts=("low", "medium", "high"),
)
