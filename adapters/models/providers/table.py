"""vLLM on this machine or one of yours."""

from ..declaration.provider import AGENT, ModelRule, Provider
from .custom import OPENAI_LEVELS

ARCEE = Provider(
    name="arcee",
    aliases=("arcee-ai", "arceeai"),
    title="Arcee",
    site="https://docs.arcee.ai",
    env=("ARCEEAI_API_KEY", "ARCEE_API_KEY"),
    base_url="https://api.arcee.ai/api/v1",
    base_url_env="ARCEE_BASE_URL",
    models=(ModelRule(contains="trinity-large-thinking", temperature=0.5),),
)


# Baseten.

BASETEN = Provider(
    name="baseten",
    title="Baseten",
    site="https://docs.baseten.co",
    env=("BASETEN_API_KEY",),
    base_url="https://inference.baseten.co/v1",
    base_url_env="BASETEN_BASE_URL",
)


# Cerebras: the open models, fast; earlier thoughts are refused.

CEREBRAS = Provider(
    name="cerebras",
    title="Cerebras",
    site="https://inference-docs.cerebras.ai",
    env=("CEREBRAS_API_KEY",),
    base_url="https://api.cerebras.ai/v1",
    base_url_env="CEREBRAS_BASE_URL",
    max_tokens_field="max_completion_tokens",
    efforts=(),
    models=(ModelRule(contains="gpt-oss", efforts=("low", "medium", "high")),),
    reasoning_fields=frozenset(),
)


# Chutes.

CHUTES = Provider(
    name="chutes",
    aliases=("chutes-ai",),
    title="Chutes",
    site="https://chutes.ai/docs",
    env=("CHUTES_API_KEY",),
    base_url="https://llm.chutes.ai/v1",
    base_url_env="CHUTES_BASE_URL",
)


# Cohere, on the surface that is compatible with OpenAI's.

COHERE = Provider(
    name="cohere",
    aliases=("cohere-ai",),
    title="Cohere",
    site="https://docs.cohere.com",
    env=("COHERE_API_KEY", "CO_API_KEY"),
    base_url="https://api.cohere.ai/compatibility/v1",
    base_url_env="COHERE_BASE_URL",
)


# DeepInfra.

DEEPINFRA = Provider(
    name="deepinfra",
    aliases=("deep-infra", "deepinfra-ai"),
    title="DeepInfra",
    site="https://deepinfra.com/docs",
    env=("DEEPINFRA_API_KEY",),
    base_url="https://api.deepinfra.com/v1/openai",
    base_url_env="DEEPINFRA_BASE_URL",
)


# Fireworks: wants to know who calls; models are named ``accounts/fireworks/models/...``.

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


# GMI Cloud: wants to know who calls.

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


# Groq: refuses fields it does not know, effort included where the model has none.

GROQ = Provider(
    name="groq",
    aliases=("groqcloud",),
    title="Groq",
    site="https://console.groq.com/docs",
    env=("GROQ_API_KEY",),
    base_url="https://api.groq.com/openai/v1",
    base_url_env="GROQ_BASE_URL",
    efforts=(),
    models=(ModelRule(contains="gpt-oss", efforts=("low", "medium", "high")),),
    reasoning_fields=frozenset(),
)


# Hugging Face's router to inference providers.

HUGGINGFACE = Provider(
    name="huggingface",
    aliases=("hf", "hugging-face", "huggingface-hub"),
    title="Hugging Face",
    site="https://huggingface.co/docs/inference-providers",
    env=("HF_TOKEN",),
    base_url="https://router.huggingface.co/v1",
    base_url_env="HF_BASE_URL",
)


# Kilo Code's gateway.

KILOCODE = Provider(
    name="kilocode",
    aliases=("kilo", "kilo-code", "kilo-gateway"),
    title="Kilo Code",
    site="https://kilo.ai/docs",
    env=("KILOCODE_API_KEY",),
    base_url="https://api.kilo.ai/api/gateway",
    base_url_env="KILOCODE_BASE_URL",
    auxiliary_model="google/gemini-3-flash-preview",
)


# A LiteLLM proxy, on this machine unless told otherwise.

LITELLM = Provider(
    name="litellm",
    aliases=("litellm-proxy",),
    title="LiteLLM proxy",
    site="https://docs.litellm.ai",
    env=("LITELLM_API_KEY",),
    base_url="http://127.0.0.1:4000/v1",
    base_url_env="LITELLM_BASE_URL",
    needs_key=False,
)


# llama.cpp's server on this machine.

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


# LM Studio on this machine.

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


# Nebius Token Factory.

NEBIUS = Provider(
    name="nebius",
    aliases=("token-factory",),
    title="Nebius Token Factory",
    site="https://docs.tokenfactory.nebius.com",
    env=("NEBIUS_API_KEY",),
    base_url="https://api.tokenfactory.nebius.com/v1",
    base_url_env="NEBIUS_BASE_URL",
    efforts=("low", "medium", "high"),
)


# Novita.

NOVITA = Provider(
    name="novita",
    aliases=("novita-ai", "novitaai"),
    title="Novita",
    site="https://novita.ai/docs",
    env=("NOVITA_API_KEY",),
    base_url="https://api.novita.ai/openai/v1",
    base_url_env="NOVITA_BASE_URL",
    auxiliary_model="deepseek/deepseek-v3-0324",
)


# SambaNova.

SAMBANOVA = Provider(
    name="sambanova",
    aliases=("samba-nova",),
    title="SambaNova",
    site="https://docs.sambanova.ai",
    env=("SAMBANOVA_API_KEY",),
    base_url="https://api.sambanova.ai/v1",
    base_url_env="SAMBANOVA_BASE_URL",
)


# SiliconFlow.

SILICONFLOW = Provider(
    name="siliconflow",
    aliases=("silicon-flow",),
    title="SiliconFlow",
    site="https://docs.siliconflow.com",
    env=("SILICONFLOW_API_KEY",),
    base_url="https://api.siliconflow.com/v1",
    base_url_env="SILICONFLOW_BASE_URL",
)


# StepFun: Step 3.7 has levels of effort, its older models have none.

STEPFUN = Provider(
    name="stepfun",
    aliases=("step", "stepfun-coding-plan"),
    title="StepFun",
    site="https://platform.stepfun.ai",
    env=("STEPFUN_API_KEY",),
    base_url="https://api.stepfun.ai/step_plan/v1",
    base_url_env="STEPFUN_BASE_URL",
    efforts=(),
    models=(ModelRule(contains="step-3.7", efforts=("low", "medium", "high")),),
    auxiliary_model="step-3.7-flash",
)


# Tencent TokenHub.

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


# Together AI.

TOGETHER = Provider(
    name="together",
    aliases=("together-ai", "togetherai"),
    title="Together AI",
    site="https://docs.together.ai",
    env=("TOGETHER_API_KEY",),
    base_url="https://api.together.xyz/v1",
    base_url_env="TOGETHER_BASE_URL",
)


# Upstage: Solar has levels of effort, but for its smallest models.

UPSTAGE = Provider(
    name="upstage",
    aliases=("solar",),
    title="Upstage",
    site="https://console.upstage.ai/docs",
    env=("UPSTAGE_API_KEY",),
    base_url="https://api.upstage.ai/v1",
    base_url_env="UPSTAGE_BASE_URL",
    efforts=("low", "medium", "high"),
    models=(
        ModelRule(contains="solar-mini", efforts=()),
        ModelRule(contains="syn-pro", efforts=()),
    ),
)


# vLLM on this machine or one of yours.

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
