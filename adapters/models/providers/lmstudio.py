"""LM Studio on this machine.

Which levels of effort a model knows is its own affair; where it has some, say so in settings
(``efforts: [low, medium, high]``), otherwise none is sent.
"""

from ..provider import Provider

LMSTUDIO = Provider(
    name="lmstudio",
    aliases=("lm-studio",),
    title="LM Studio",
    site="https://lmstudio.ai/docs",
    env=("LM_API_KEY",),
    base_url="http://127.0.0.1:1234/v1",
    base_url_env="LM_BASE_URL",
    needs_key=False,
    efforts=(),
)
