"""llama.cpp's server on this machine."""

from ..provider import Provider
from .custom import OPENAI_LEVELS

LLAMACPP = Provider(
    name="llamacpp",
    aliases=("llama.cpp", "llama-cpp"),
    title="llama.cpp",
    site="https://github.com/ggml-org/llama.cpp",
    env=("LLAMA_API_KEY",),
    base_url="http://127.0.0.1:8080/v1",
    base_url_env="LLAMACPP_BASE_URL",
    needs_key=False,
    efforts=OPENAI_LEVELS,
)
