"""Fireworks: wants to know who calls; models are named ``accounts/fireworks/models/...``."""

from ..attribution import AGENT
from ..provider import Provider

FIREWORKS = Provider(
    name="fireworks",
    aliases=("fw", "fireworks-ai"),
    title="Fireworks",
    site="https://docs.fireworks.ai",
    env=("FIREWORKS_API_KEY",),
    base_url="https://api.fireworks.ai/inference/v1",
    base_url_env="FIREWORKS_BASE_URL",
    headers=(AGENT,),
    auxiliary_model="accounts/fireworks/models/glm-5p2",
)
