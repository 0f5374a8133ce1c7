"""How each provider is told whether and how hard to think."""

from typing import Any

import pytest

from webseam.adapters.features.models.declaration.provider import Changes, Provider
from webseam.ports.models import Effort

from .asking import added, provider

ON = {"thinking": {"type": "enabled"}}
OFF = {"thinking": {"type": "disabled"}}
QWEN = {"vl_high_resolution_images": True}

CHAT: list[tuple[str, str, Effort | None, dict[str, Any]]] = [
    # Kimi: a level or a switch, never both.
    ("kimi", "kimi-k2.5", None, ON),
    ("kimi", "kimi-k2.5", "none", OFF),
    ("kimi", "kimi-k2.5", "xhigh", {"reasoning_effort": "high"}),
    ("kimi", "kimi-k3-preview", "medium", {"reasoning_effort": "high"}),
    ("kimi", "k3", "xhigh", {"reasoning_effort": "max"}),
    ("kimi", "k3", "minimal", {"reasoning_effort": "low"}),
    ("kimi", "moonshot-v1-8k", "high", {}),
    # DeepSeek: always switched from V4 on, untouched before.
    ("deepseek", "deepseek-v4-flash", None, ON),
    ("deepseek", "deepseek-v4-pro", "none", OFF),
    ("deepseek", "deepseek-v4-pro", "xhigh", {**ON, "reasoning_effort": "max"}),
    ("deepseek", "deepseek-v10", "low", {**ON, "reasoning_effort": "low"}),
    ("deepseek", "deepseek-reasoner", "medium", {**ON, "reasoning_effort": "medium"}),
    ("deepseek", "deepseek-v3.2", "high", {}),
    # GLM: only when asked.
    ("zai", "glm-4.6", None, {}),
    ("zai", "glm-4.6", "high", ON),
    ("zai", "glm-4.5-flash", "none", OFF),
    ("zai", "glm-4", "high", {}),
    ("zai", "glm-5.2", "low", {**ON, "reasoning_effort": "high"}),
    ("zai", "glm-5.2", "max", {**ON, "reasoning_effort": "max"}),
    ("zai", "glm-5.3", "xhigh", {**ON, "reasoning_effort": "high"}),
    # NVIDIA: into the arguments of the chat template.
    ("nvidia", "z-ai/glm-5", None, {}),
    ("nvidia", "z-ai/glm-5", "high", {"chat_template_kwargs": {"enable_thinking": True, "clear_thinking": False, "reasoning_effort": "high"}}),
    ("nvidia", "z-ai/glm-5", "none", {"chat_template_kwargs": {"enable_thinking": False, "clear_thinking": False}}),
    ("nvidia", "nvidia/nemotron-3-ultra", "medium", {"chat_template_kwargs": {"enable_thinking": True, "medium_effort": True}}),
    ("nvidia", "nvidia/nemotron-3-ultra", "high", {"chat_template_kwargs": {"enable_thinking": True, "medium_effort": False}}),
    ("nvidia", "deepseek-ai/deepseek-v4", "low", {"chat_template_kwargs": {"thinking": True, "reasoning_effort": "low"}}),
    ("nvidia", "deepseek-ai/deepseek-v4", "none", {"chat_template_kwargs": {"thinking": False}}),
    # Qwen's portal: said in every call.
    ("qwen", "qwen3-coder", None, {**QWEN, "enable_thinking": True, "thinking_budget": 32768}),
    ("qwen", "qwen3-coder", "none", {**QWEN, "enable_thinking": False}),
    # OpenCode Go: each maker's way, but never two ways at once.
    ("opencode-go", "kimi-k2.5", None, {}),
    ("opencode-go", "kimi-k2.5", "none", OFF),
    ("opencode-go", "kimi-k2.5", "max", {"reasoning_effort": "high"}),
    ("opencode-go", "deepseek-v4-pro", None, ON),
    ("opencode-go", "deepseek-v4-pro", "max", {"reasoning_effort": "max"}),
    ("opencode-go", "glm-5p2", "low", {"reasoning_effort": "high"}),
    ("opencode-go", "glm-5p2", "none", {}),
    ("opencode-go", "glm-5", "high", {}),
    ("opencode-go", "mimo-v2.5-pro", "high", {}),
    ("upstage", "solar-pro3", "max", {"reasoning_effort": "high"}),
    ("upstage", "solar-mini", "max", {}),
    # Elsewhere Qwen 3.8 has levels of its own.
    ("alibaba", "qwen3.8-max", "high", {"reasoning_effort": "medium"}),
    ("alibaba", "qwen3.8-max", "max", {"reasoning_effort": "xhigh"}),
    ("alibaba-coding-plan", "m", "low", {"reasoning_effort": "low"}),
    # An object of its own, which says that it is on.
    ("openrouter", "m", None, {"usage": {"include": True}}),
    ("openrouter", "m", "max", {"usage": {"include": True}, "reasoning": {"enabled": True, "effort": "xhigh"}}),
    ("openrouter", "m", "none", {"usage": {"include": True}, "reasoning": {"enabled": False}}),
    ("openrouter", "qwen/qwen3.8-max", "high", {"usage": {"include": True}, "reasoning": {"enabled": True, "effort": "medium"}}),
    ("openrouter", "anthropic/claude-opus-4.7", "minimal", {"usage": {"include": True}, "verbosity": "low"}),
    ("openrouter", "anthropic/claude-opus-4.7", "max", {"usage": {"include": True}, "verbosity": "max"}),
    ("openrouter", "anthropic/claude-opus-4.7", "none", {"usage": {"include": True}}),
    ("openrouter", "anthropic/claude-sonnet-5", "none", {"usage": {"include": True}, "reasoning": {"enabled": False}}),
    ("openrouter", "anthropic/claude-sonnet-5.5", "none", {"usage": {"include": True}, "verbosity": "low"}),
    ("openrouter", "anthropic/claude-3.7-sonnet", "none", {"usage": {"include": True}, "reasoning": {"enabled": False}}),
    ("ai-gateway", "m", "low", {"reasoning": {"enabled": True, "effort": "low"}}),
    ("nous", "m", "high", {"tags": ["product=webseam"], "reasoning": {"enabled": True, "effort": "high"}}),
    ("nous", "m", "none", {"tags": ["product=webseam"]}),
    ("github", "openai/gpt-5-mini", "xhigh", {"reasoning": {"effort": "high"}}),
    ("github", "openai/gpt-4.1", "high", {}),
    ("github", "openai/gpt-5-chat", "high", {}),
    # Gemini: inside a field that is really called extra_body.
    ("gemini", "gemini-3-flash", "medium", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_level": "medium"}}}}),
    ("gemini", "gemini-3-pro", "medium", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_level": "low"}}}}),
    ("gemini", "gemini-3.1-pro-preview", "medium", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_level": "medium"}}}}),
    ("gemini", "gemini-3-pro", "none", {"extra_body": {"google": {"thinking_config": {"include_thoughts": False, "thinking_level": "low"}}}}),
    ("gemini", "gemini-2.5-flash", "high", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_budget": 24576}}}}),
    ("gemini", "gemini-2.5-flash", "low", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_budget": 1024}}}}),
    ("gemini", "gemini-2.5-flash", "none", {"extra_body": {"google": {"thinking_config": {"include_thoughts": False, "thinking_budget": 0}}}}),
    ("gemini", "gemini-2.5-pro", "none", {"extra_body": {"google": {"thinking_config": {"include_thoughts": False, "thinking_budget": 128}}}}),
    ("gemini", "gemini-2.0-flash", "high", {}),
    ("gemini-native", "gemini-3.6-flash", "high", {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "high"}}}),
    ("gemini-native", "gemini-2.5-flash", "none", {"generationConfig": {"thinkingConfig": {"includeThoughts": False, "thinkingBudget": 0}}}),
    ("gemini-native", "gemini-3.6-flash", None, {}),
    # MiMo's switch, and DeepSeek's, where thinking must be asked for.
    ("xiaomi", "mimo-v2.5-pro", "high", ON),
    ("xiaomi", "mimo-v2.5-pro", "none", OFF),
    ("xiaomi", "mimo-v2.5-pro", None, {}),
    ("deepseek", "deepseek-chat", "high", {**ON, "reasoning_effort": "high"}),
    ("deepseek", "deepseek-chat", "none", OFF),
    ("deepseek", "deepseek-chat", None, {}),
    ("gemini", "gemini-3-flash", None, {}),
    ("gemini", "gemma-4", "high", {}),
    ("vertex", "google/gemini-3-pro", "max", {"extra_body": {"google": {"thinking_config": {"include_thoughts": True, "thinking_level": "high"}}}}),
    # MiniMax on its OpenAI-shaped route.
    ("minimax-chat", "MiniMax-M3", None, {"reasoning_split": True, "thinking": {"type": "adaptive"}}),
    ("minimax-chat", "MiniMax-M3", "none", {"reasoning_split": True, "thinking": {"type": "disabled"}}),
    ("minimax-chat", "MiniMax-M3.1", "high", {"reasoning_effort": "high"}),
    ("minimax-chat", "MiniMax-M3.1", "none", {"reasoning_effort": "low"}),
    ("minimax-chat", "MiniMax-M3.1", None, {}),
    ("minimax-chat", "MiniMax-M2", "high", {}),
    # Ollama is switched off in two ways, others in one, and nobody is switched on.
    ("ollama", "qwen3", "none", {"reasoning_effort": "none", "think": False}),
    ("ollama", "qwen3", "high", {"reasoning_effort": "high"}),
    ("ollama", "qwen3", None, {}),
    ("ollama-cloud", "gpt-oss", "none", {"reasoning_effort": "none"}),
    ("ollama-cloud", "gpt-oss", "minimal", {"reasoning_effort": "low"}),
    ("custom", "m", "none", {"reasoning_effort": "none"}),
    # Those that refuse what they do not know are not told.
    ("mistral", "mistral-large", "high", {}),
    ("groq", "llama-3.3-70b", "high", {}),
    ("groq", "openai/gpt-oss-120b", "max", {"reasoning_effort": "high"}),
    ("cerebras", "gpt-oss-120b", "minimal", {"reasoning_effort": "low"}),
    ("lmstudio", "m", "high", {}),
    ("stepfun", "step-3.7-flash", "max", {"reasoning_effort": "high"}),
    ("stepfun", "step-3", "max", {}),
    ("tencent-tokenhub", "m", "none", {}),
    # OpenAI's own models, each with its own levels.
    ("openai-chat", "gpt-5.4", "minimal", {"reasoning_effort": "low"}),
    ("openai-chat", "gpt-5.4", "max", {"reasoning_effort": "xhigh"}),
    ("openai-chat", "gpt-5.6-sol", "max", {"reasoning_effort": "max"}),
    ("openai-chat", "gpt-5-mini", "minimal", {"reasoning_effort": "minimal"}),
    ("openai-chat", "gpt-6-astra", "none", {}),
    ("openai-chat", "gpt-6.1-sol", "minimal", {"reasoning_effort": "low"}),
    ("openai-chat", "gpt-6-luna", "none", {"reasoning_effort": "none"}),
    ("openai-chat", "gpt-4o", "high", {}),
    ("azure-openai", "o3-mini", "xhigh", {"reasoning_effort": "high"}),
]  # fmt: skip


def test_a_provider_is_told_how_hard_to_think() -> None:
    for who, model, effort, sent in CHAT:
        body = added(who, model, reasoning_effort=effort)

        body = {name: body[name] for name in body if name not in ("max_tokens", "contents")}
        assert body == sent, (who, model, effort)


@pytest.mark.parametrize(
    ("base_url", "thinks"),
    [
        ("http://127.0.0.1:11434/v1", False),
        ("https://ollama.com/v1", False),
        ("https://ollama.lan/v1", False),
        ("http://127.0.0.1:8000/v1", None),
        ("https://notollama.example/v1", None),
        ("http://[bad", None),
    ],
)
def test_a_custom_server_is_told_not_to_think_as_ollama_is_only_where_it_is_ollama(
    base_url: str, *, thinks: bool | None
) -> None:
    custom = provider("custom")

    settled = custom.settle(custom, base_url)

    assert added(settled, reasoning_effort="none").get("think") is thinks


def test_a_custom_server_with_a_way_of_its_own_keeps_it() -> None:
    own = Provider(
        name="own",
        changes=Changes(
            reasoning=lambda _request: {"thinking": "never"},
        ),
    )

    settled = provider("custom").settle(own, "http://127.0.0.1:11434/v1")

    assert added(settled, reasoning_effort="none") == {"thinking": "never"}
