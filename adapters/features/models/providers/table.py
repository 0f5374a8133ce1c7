"""Providers that need only a row, and no function; see docs/providers.md."""

from collections.abc import Mapping
from typing import TypedDict, Unpack

from msgspec.structs import replace

from webseam.ports.models import ChatRequest

from ..declaration.provider import (
    AGENT,
    Changes,
    Efforts,
    FieldRules,
    HistoryRules,
    HttpDetails,
    Login,
    ModelRule,
    Provider,
)
from ..declaration.rules import FAMILY_RULES
from .custom import OPENAI_EFFORTS

_ALIBABA_SITE = "https://www.alibabacloud.com/help/model-studio"
_LOW_TO_HIGH: Efforts = ("low", "medium", "high")
_USER_AGENT_HTTP = HttpDetails(headers=(AGENT,))
_NO_EARLIER_THOUGHTS = HistoryRules(reasoning_fields=frozenset())


class _RowOptions(TypedDict, total=False):
    """Optional fields of a row."""

    site: str
    aliases: tuple[str, ...]
    model: str
    auxiliary_model: str
    http: HttpDetails
    fields: FieldRules
    history: HistoryRules
    changes: Changes


def _groq_tier(request: ChatRequest) -> Mapping[str, object]:
    """Return Groq's name of the usual tier: it refuses "default".

    https://console.groq.com/docs/service-tiers (2026-11-19)
    """
    return {"service_tier": "on_demand"} if request.service_tier == "default" else {}


def provider_row(
    name: str,
    title: str,
    base_url: str,
    env: str,
    *,
    url_env: str = "",
    **more: Unpack[_RowOptions],
) -> Provider:
    """Return the provider of a row; ``env`` lists variables for the key, separated by blanks.

    ``$NAME_BASE_URL`` overrides the base URL, unless ``url_env`` names another variable.
    """
    default_env = f"{name.upper().replace('-', '_')}_BASE_URL"
    login = Login(env=tuple(env.split()), base_url=base_url, base_url_env=url_env or default_env)
    return Provider(name=name, title=title, login=login, **more)


def local_provider(
    name: str, title: str, port: int, env: str, *, url_env: str = "", **more: Unpack[_RowOptions]
) -> Provider:
    """Return a server on this machine, which may work without a key."""
    row = provider_row(name, title, f"http://127.0.0.1:{port}/v1", env, url_env=url_env, **more)
    return replace(row, login=replace(row.login, needs_key=False))


TABLE = (
    # Alibaba's DashScope, international and in China, and its plans.
    provider_row(
        "alibaba", "Alibaba Cloud Model Studio",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY",
        site=_ALIBABA_SITE, url_env="DASHSCOPE_BASE_URL",
        aliases=("dashscope", "aliyun", "alibaba-cloud", "qwen-dashscope"),
    ),
    provider_row(
        "alibaba-cn", "Alibaba Cloud Model Studio (China)",
        "https://dashscope.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY",
        site=_ALIBABA_SITE, url_env="DASHSCOPE_CN_BASE_URL", aliases=("dashscope-cn", "aliyun-cn"),
    ),
    provider_row(
        "alibaba-token-plan", "Alibaba token plan",
        "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
        "ALIBABA_TOKEN_PLAN_API_KEY", site=_ALIBABA_SITE,
    ),
    provider_row(
        "alibaba-token-plan-cn", "Alibaba token plan (China)",
        "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1",
        "ALIBABA_TOKEN_PLAN_API_KEY", site=_ALIBABA_SITE,
    ),
    # This gateway hangs on a ``reasoning`` object; a flat effort works.
    provider_row(
        "alibaba-coding-plan", "Alibaba coding plan",
        "https://coding-intl.dashscope.aliyuncs.com/v1",
        "ALIBABA_CODING_PLAN_API_KEY DASHSCOPE_API_KEY", site=_ALIBABA_SITE,
        aliases=("alibaba-coding", "dashscope-coding"),
        fields=FieldRules(drop=frozenset({"reasoning"})),
    ),
    provider_row(
        "arcee", "Arcee", "https://api.arcee.ai/api/v1", "ARCEEAI_API_KEY ARCEE_API_KEY",
        site="https://docs.arcee.ai", aliases=("arcee-ai", "arceeai"),
        fields=FieldRules(models=(ModelRule(contains="trinity-large-thinking", temperature=0.5),)),
    ),
    provider_row(
        "baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY",
        site="https://docs.baseten.co",
    ),
    # Cerebras refuses earlier thoughts.
    provider_row(
        "cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY",
        site="https://inference-docs.cerebras.ai",
        fields=FieldRules(efforts=(), max_tokens_field="max_completion_tokens", models=(
            ModelRule(contains="gpt-oss", efforts=_LOW_TO_HIGH),
            # Thinking can only be switched off.
            ModelRule(contains="glm", efforts=("none",)),
        )),
        history=_NO_EARLIER_THOUGHTS,
    ),
    provider_row(
        "chutes", "Chutes", "https://llm.chutes.ai/v1", "CHUTES_API_KEY",
        site="https://chutes.ai/docs", aliases=("chutes-ai",),
    ),
    # Cohere's OpenAI-compatible API.
    provider_row(
        "cohere", "Cohere", "https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY CO_API_KEY",
        site="https://docs.cohere.com", aliases=("cohere-ai",),
    ),
    provider_row(
        "deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY",
        site="https://deepinfra.com/docs", aliases=("deep-infra", "deepinfra-ai"),
    ),
    # Fireworks wants a user agent; models are named ``accounts/fireworks/models/...``.
    provider_row(
        "fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY",
        site="https://docs.fireworks.ai", aliases=("fw", "fireworks-ai"),
        auxiliary_model="accounts/fireworks/models/glm-5p2", http=_USER_AGENT_HTTP,
    ),
    # GMI Cloud wants a user agent.
    provider_row(
        "gmi", "GMI Cloud", "https://api.gmi-serving.com/v1", "GMI_API_KEY",
        site="https://docs.gmicloud.ai", aliases=("gmi-cloud", "gmicloud"),
        auxiliary_model="google/gemini-3.1-flash-lite-preview", http=_USER_AGENT_HTTP,
    ),
    # Groq refuses unknown fields, including effort for models without levels.
    provider_row(
        "groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY",
        site="https://console.groq.com/docs", aliases=("groqcloud",),
        fields=FieldRules(efforts=(), models=(
            ModelRule(contains="gpt-oss", efforts=_LOW_TO_HIGH),
            ModelRule(contains="qwen3", efforts=("none",)),
        )),
        changes=Changes(extra_body=_groq_tier),
        history=_NO_EARLIER_THOUGHTS,
    ),
    # Hugging Face's router for inference providers.
    provider_row(
        "huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN",
        site="https://huggingface.co/docs/inference-providers",
        aliases=("hf", "hugging-face", "huggingface-hub"), url_env="HF_BASE_URL",
    ),
    provider_row(
        "kilocode", "Kilo Code", "https://api.kilo.ai/api/gateway", "KILOCODE_API_KEY",
        site="https://kilo.ai/docs", aliases=("kilo", "kilo-code", "kilo-gateway"),
        auxiliary_model="google/gemini-3-flash-preview",
    ),
    local_provider(
        "litellm", "LiteLLM proxy", 4000, "LITELLM_API_KEY", site="https://docs.litellm.ai",
        aliases=("litellm-proxy",),
    ),
    local_provider(
        "llamacpp", "llama.cpp", 8080, "LLAMA_API_KEY",
        site="https://github.com/ggml-org/llama.cpp", aliases=("llama.cpp", "llama-cpp"),
        fields=FieldRules(efforts=OPENAI_EFFORTS, models=FAMILY_RULES),
    ),
    local_provider(
        "lmstudio", "LM Studio", 1234, "LM_API_KEY", site="https://lmstudio.ai/docs",
        aliases=("lm-studio",), url_env="LM_BASE_URL", fields=FieldRules(efforts=()),
    ),
    provider_row(
        "nebius", "Nebius Token Factory", "https://api.tokenfactory.nebius.com/v1",
        "NEBIUS_API_KEY", site="https://docs.tokenfactory.nebius.com", aliases=("token-factory",),
        fields=FieldRules(efforts=_LOW_TO_HIGH, models=FAMILY_RULES),
    ),
    provider_row(
        "novita", "Novita", "https://api.novita.ai/openai/v1", "NOVITA_API_KEY",
        site="https://novita.ai/docs", aliases=("novita-ai", "novitaai"),
        auxiliary_model="deepseek/deepseek-v3-0324",
    ),
    provider_row(
        "sambanova", "SambaNova", "https://api.sambanova.ai/v1", "SAMBANOVA_API_KEY",
        site="https://docs.sambanova.ai", aliases=("samba-nova",),
    ),
    provider_row(
        "siliconflow", "SiliconFlow", "https://api.siliconflow.com/v1", "SILICONFLOW_API_KEY",
        site="https://docs.siliconflow.com", aliases=("silicon-flow",),
    ),
    # Step 3.7 has levels of effort; older models have none.
    provider_row(
        "stepfun", "StepFun", "https://api.stepfun.ai/step_plan/v1", "STEPFUN_API_KEY",
        site="https://platform.stepfun.ai", aliases=("step", "stepfun-coding-plan"),
        auxiliary_model="step-3.7-flash",
        fields=FieldRules(
            efforts=(), models=(ModelRule(contains="step-3.7", efforts=_LOW_TO_HIGH),)
        ),
    ),
    provider_row(
        "tencent-tokenhub", "Tencent TokenHub", "https://tokenhub.tencentmaas.com/v1",
        "TOKENHUB_API_KEY", site="https://tokenhub.tencentmaas.com",
        aliases=("tokenhub", "tencent"), url_env="TOKENHUB_BASE_URL",
        fields=FieldRules(efforts=_LOW_TO_HIGH, models=FAMILY_RULES),
    ),
    provider_row(
        "together", "Together AI", "https://api.together.xyz/v1", "TOGETHER_API_KEY",
        site="https://docs.together.ai", aliases=("together-ai", "togetherai"),
    ),
    # Solar has levels of effort, except the smallest models.
    provider_row(
        "upstage", "Upstage", "https://api.upstage.ai/v1", "UPSTAGE_API_KEY",
        site="https://console.upstage.ai/docs", aliases=("solar",),
        fields=FieldRules(efforts=_LOW_TO_HIGH, models=(
            ModelRule(contains="solar-mini", efforts=()), ModelRule(contains="syn-pro", efforts=()),
        )),
    ),
    local_provider(
        "vllm", "vLLM", 8000, "VLLM_API_KEY", site="https://docs.vllm.ai",
        fields=FieldRules(efforts=OPENAI_EFFORTS, models=FAMILY_RULES),
    ),
)  # fmt: skip
