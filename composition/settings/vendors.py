"""Which variables belong to whom: keys, addresses and their parts.

Written by `make docs` from what services and providers declare: change it there, not here.
"""

from webseam.kernel.policy.trust import FolderRules, Vendors

VENDORS = Vendors(
    service_keys={
        "bocha": {"api_key": ("BOCHA_API_KEY", "BOCHA_SEARCH_API_KEY")}, "brave": {"api_key":
        ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY")}, "crossref": {"api_key": ()}, "dataforseo":
        {"login": ("DATAFORSEO_LOGIN",), "password": ("DATAFORSEO_PASSWORD",)}, "exa":
        {"api_key": ("EXA_API_KEY",)}, "firecrawl": {"api_key": ("FIRECRAWL_API_KEY",)},
        "github": {"api_key": ("GITHUB_TOKEN", "GH_TOKEN")}, "google_pse": {"api_key":
        ("GOOGLE_PSE_API_KEY", "GOOGLE_API_KEY"), "engine_id": ("GOOGLE_PSE_ENGINE_ID",
        "GOOGLE_CSE_ID")}, "jina": {"api_key": ("JINA_API_KEY",)}, "kagi": {"api_key":
        ("KAGI_API_KEY", "KAGI_SEARCH_API_KEY", "KAGI_API_TOKEN")}, "keenable": {"api_key":
        ("KEENABLE_API_KEY",)}, "linkup": {"api_key": ("LINKUP_API_KEY",)}, "marginalia":
        {"api_key": ("MARGINALIA_API_KEY",)}, "mojeek": {"api_key": ("MOJEEK_API_KEY",
        "MOJEEK_SEARCH_API_KEY")}, "openalex": {"api_key": ("OPENALEX_API_KEY",)}, "parallel":
        {"api_key": ("PARALLEL_API_KEY", "PARALLEL_AI_API_KEY")}, "perplexity": {"api_key":
        ("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY")}, "searchapi": {"api_key":
        ("SEARCHAPI_API_KEY",)}, "serpapi": {"api_key": ("SERPAPI_API_KEY", "SERPAPI_KEY")},
        "serper": {"api_key": ("SERPER_API_KEY",)}, "tavily": {"api_key": ("TAVILY_API_KEY",)},
        "you_com": {"api_key": ("YDC_API_KEY", "YOUCOM_API_KEY", "YOU_API_KEY_AUTH")},
    },
    provider_keys={
        "ai-gateway": ("AI_GATEWAY_API_KEY",), "alibaba": ("DASHSCOPE_API_KEY",), "alibaba-cn":
        ("DASHSCOPE_API_KEY",), "alibaba-coding-plan": ("ALIBABA_CODING_PLAN_API_KEY",
        "DASHSCOPE_API_KEY"), "alibaba-token-plan": ("ALIBABA_TOKEN_PLAN_API_KEY",),
        "alibaba-token-plan-cn": ("ALIBABA_TOKEN_PLAN_API_KEY",), "anthropic":
        ("ANTHROPIC_API_KEY", "ANTHROPIC_TOKEN"), "arcee": ("ARCEEAI_API_KEY", "ARCEE_API_KEY"),
        "baseten": ("BASETEN_API_KEY",), "bedrock": ("AWS_BEARER_TOKEN_BEDROCK",
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"), "bedrock-mantle":
        ("AWS_BEARER_TOKEN_BEDROCK",), "cerebras": ("CEREBRAS_API_KEY",), "chutes":
        ("CHUTES_API_KEY",), "cohere": ("COHERE_API_KEY", "CO_API_KEY"), "deepinfra":
        ("DEEPINFRA_API_KEY",), "deepseek": ("DEEPSEEK_API_KEY",), "fireworks":
        ("FIREWORKS_API_KEY",), "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "gemini-native":
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"), "github": ("GITHUB_MODELS_TOKEN", "GITHUB_TOKEN",
        "GH_TOKEN"), "gmi": ("GMI_API_KEY",), "groq": ("GROQ_API_KEY",), "huggingface":
        ("HF_TOKEN",), "kilocode": ("KILOCODE_API_KEY",), "kimi": ("KIMI_API_KEY",
        "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY"), "kimi-cn": ("KIMI_CN_API_KEY",), "litellm":
        ("LITELLM_API_KEY",), "llamacpp": ("LLAMA_API_KEY",), "lmstudio": ("LM_API_KEY",),
        "meta": ("MODEL_API_KEY", "META_API_KEY"), "minimax": ("MINIMAX_API_KEY",),
        "minimax-chat": ("MINIMAX_API_KEY",), "minimax-cn": ("MINIMAX_CN_API_KEY",), "mistral":
        ("MISTRAL_API_KEY",), "nebius": ("NEBIUS_API_KEY",), "nous": ("NOUS_API_KEY",),
        "novita": ("NOVITA_API_KEY",), "nvidia": ("NVIDIA_API_KEY",), "ollama":
        ("OLLAMA_API_KEY",), "ollama-cloud": ("OLLAMA_API_KEY",), "openai": ("OPENAI_API_KEY",),
        "openai-chat": ("OPENAI_API_KEY",), "opencode-go": ("OPENCODE_GO_API_KEY",
        "OPENCODE_API_KEY"), "opencode-go-messages": ("OPENCODE_GO_API_KEY",
        "OPENCODE_API_KEY"), "opencode-zen": ("OPENCODE_ZEN_API_KEY", "OPENCODE_API_KEY"),
        "opencode-zen-messages": ("OPENCODE_ZEN_API_KEY", "OPENCODE_API_KEY"),
        "opencode-zen-responses": ("OPENCODE_ZEN_API_KEY", "OPENCODE_API_KEY"), "openrouter":
        ("OPENROUTER_API_KEY",), "perplexity": ("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"),
        "perplexity-chat": ("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"), "qwen":
        ("QWEN_API_KEY",), "sambanova": ("SAMBANOVA_API_KEY",), "siliconflow":
        ("SILICONFLOW_API_KEY",), "stepfun": ("STEPFUN_API_KEY",), "tencent-tokenhub":
        ("TOKENHUB_API_KEY",), "together": ("TOGETHER_API_KEY",), "upstage":
        ("UPSTAGE_API_KEY",), "vllm": ("VLLM_API_KEY",), "xai": ("XAI_API_KEY",), "xiaomi":
        ("XIAOMI_API_KEY",), "zai": ("GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"),
    },
    search_models=(
        "anthropic_web", "gemini_grounding", "openai_web", "openrouter_web", "perplexity_agent",
        "xai_web",
    ),
    awaited=frozenset((
        "AI_GATEWAY_BASE_URL", "ALIBABA_CODING_PLAN_BASE_URL", "ALIBABA_TOKEN_PLAN_BASE_URL",
        "ALIBABA_TOKEN_PLAN_CN_BASE_URL", "ANTHROPIC_BASE_URL", "ARCEE_BASE_URL",
        "AWS_CONFIG_FILE", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_REGION",
        "AWS_SHARED_CREDENTIALS_FILE", "AZURE_FOUNDRY_API_KEY", "AZURE_FOUNDRY_BASE_URL",
        "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT",
        "BASETEN_BASE_URL", "BEDROCK_BASE_URL", "BEDROCK_MANTLE_BASE_URL", "BRAVE_API_BASE",
        "CEREBRAS_BASE_URL", "CHUTES_BASE_URL", "COHERE_BASE_URL", "COHERE_EMBEDDINGS_BASE_URL",
        "COHERE_RERANK_BASE_URL", "CROSSREF_MAILTO", "CUSTOM_API_KEY", "CUSTOM_BASE_URL",
        "CUSTOM_SEARCH_ALLOW_PLAIN_HTTP", "CUSTOM_SEARCH_API_KEY", "CUSTOM_SEARCH_BASE_URL",
        "DASHSCOPE_BASE_URL", "DASHSCOPE_CN_BASE_URL", "DATAFORSEO_API_BASE",
        "DEEPINFRA_BASE_URL", "DEEPSEEK_BASE_URL", "EXA_API_BASE", "FIRECRAWL_API_BASE",
        "FIRECRAWL_API_BASE_URL", "FIRECRAWL_API_URL", "FIREWORKS_BASE_URL", "FOURGET_BASE_URL",
        "FOURGET_PASS", "FOURGET_USER_AGENT", "GEMINI_BASE_URL", "GITHUB_MODELS_BASE_URL",
        "GLM_BASE_URL", "GMI_BASE_URL", "GOOGLE_CLOUD_LOCATION", "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_OAUTH_ACCESS_TOKEN", "GOOGLE_PSE_API_BASE", "GROQ_BASE_URL", "HF_BASE_URL",
        "JINA_API_BASE_URL", "JINA_EMBEDDINGS_BASE_URL", "JINA_RERANK_BASE_URL",
        "KEENABLE_API_URL", "KILOCODE_BASE_URL", "KIMI_BASE_URL", "KIMI_CN_BASE_URL",
        "LINKUP_API_BASE", "LITELLM_BASE_URL", "LLAMACPP_BASE_URL", "LM_BASE_URL",
        "META_BASE_URL", "MINIMAX_BASE_URL", "MINIMAX_CN_BASE_URL", "MISTRAL_BASE_URL",
        "NEBIUS_BASE_URL", "NOUS_BASE_URL", "NOVITA_BASE_URL", "NVIDIA_BASE_URL",
        "OLLAMA_BASE_URL", "OLLAMA_HOST", "OPENAI_BASE_URL", "OPENCODE_GO_BASE_URL",
        "OPENCODE_ZEN_BASE_URL", "OPENROUTER_BASE_URL", "PARALLEL_AI_API_BASE",
        "PARALLEL_BASE_URL", "PERPLEXITY_API_BASE", "PERPLEXITY_BASE_URL",
        "PERPLEXITY_SEARCH_API_URL", "QWEN_BASE_URL", "SAMBANOVA_BASE_URL",
        "SEARCHAPI_API_BASE", "SEARXNG_API_BASE", "SEARXNG_API_KEY", "SEARXNG_QUERY_URL",
        "SEARXNG_URL", "SERPER_API_BASE", "SILICONFLOW_BASE_URL", "STEPFUN_BASE_URL",
        "TAVILY_API_BASE", "TAVILY_BASE_URL", "TOGETHER_BASE_URL", "TOKENHUB_BASE_URL",
        "UPSTAGE_BASE_URL", "VERTEX_ACCESS_TOKEN", "VERTEX_BASE_URL", "VLLM_BASE_URL",
        "VOYAGE_EMBEDDINGS_BASE_URL", "XAI_BASE_URL", "XIAOMI_BASE_URL", "YOUCOM_API_BASE",
    )),
)  # fmt: skip
FOLDER = FolderRules(VENDORS)
