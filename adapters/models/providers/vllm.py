"""vLLM on this machine or one of yours."""

from ..provider import Provider
from .custom import OPENAI_LEVELS

VLLM = Provider(
    name="vllm",
    title="vLLM",
    site="https://docs.vllm.ai",
    env=("VLLM_API_KEY",),
    base_url="http://127.0.0.1:8000/v1",
    base_url_env="VLLM_BASE_URL",
    needs_key=False,
    efforts=OPENAI_LEVELS,
)
