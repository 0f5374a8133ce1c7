"""GMI Cloud: wants to know who calls."""

from ..attribution import AGENT
from ..provider import Provider

GMI = Provider(
    name="gmi",
    aliases=("gmi-cloud", "gmicloud"),
    title="GMI Cloud",
    site="https://docs.gmicloud.ai",
    env=("GMI_API_KEY",),
    base_url="https://api.gmi-serving.com/v1",
    base_url_env="GMI_BASE_URL",
    headers=(AGENT,),
    auxiliary_model="google/gemini-3.1-flash-lite-preview",
)
