"""Models and X, opened from settings: accounts, ``setup``, routes, rerankers, small work."""

from ...feature_table import Feature, SettingsBlock

FEATURE = Feature(
    name="models",
    what="chat, embeddings, reranking, search models and X, over many providers",
    extra="rerank",
    packages=("wordllama",),
    parts={
        "tool": "composition.features.models.x_search_tool:TOOL",
        "model_compressor": "composition.features.models.small_work_models:open_model_compressor",
        "hermes_tool": "composition.features.models.hermes_x_search:register_x_search",
        "open_reranker": "composition.features.models.relevance:open_reranker",
        "provider_health": "composition.features.models.health:PROVIDER_HEALTH",
        "health": "composition.features.models.health:model_health_parts",
        "provider_names": "composition.features.models.clients:provider_names",
        "backends": "composition.features.models.backends:BACKENDS",
        "picture_describer": "composition.features.models.small_work_models:picture_describer",
    },
    settings=(
        SettingsBlock(
            "small_work",
            "composition.features.models.settings:SmallWorkSettings",
            after="compressor",
        ),
        SettingsBlock(
            "embeddings", "composition.features.models.settings:EmbeddingSettings", after="vision"
        ),
        SettingsBlock(
            "rerank", "composition.features.models.settings:RerankSettings", after="embeddings"
        ),
        SettingsBlock(
            "x_search", "composition.features.models.settings:XSearchSettings", after="ask"
        ),
    ),
)
