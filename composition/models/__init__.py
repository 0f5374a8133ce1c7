"""Models and X, opened from settings: accounts, ``setup``, routes, rerankers, small work."""

from ..features import Feature

FEATURE = Feature(
    name="models", what="chat, embeddings, reranking, search models and X, over many providers",
    extra="rerank", packages=("wordllama",),
    parts={
        "tool": "composition.models.x_search_tool:TOOL",
        "model_compressor": "composition.models.small_work_models:open_model_compressor",
        "hermes_tool": "composition.models.hermes_x_search:register_x_search",
        "open_reranker": "composition.models.relevance:open_reranker",
        "provider_health": "composition.models.health:PROVIDER_HEALTH",
        "health": "composition.models.health:model_health_parts",
        "provider_names": "composition.models.clients:provider_names",
        "backends": "composition.models.backends:BACKENDS",
        "picture_describer": "composition.models.small_work_models:picture_describer",
    },
)  # fmt: skip
