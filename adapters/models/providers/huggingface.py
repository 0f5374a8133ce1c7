"""Hugging Face's router to inference providers."""

from ..provider import Provider

HUGGINGFACE = Provider(
    name="huggingface",
    aliases=("hf", "hugging-face", "huggingface-hub"),
    title="Hugging Face",
    site="https://huggingface.co/docs/inference-providers",
    env=("HF_TOKEN",),
    base_url="https://router.huggingface.co/v1",
    base_url_env="HF_BASE_URL",
)
