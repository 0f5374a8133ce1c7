"""What the feature is, and what it needs."""

from ..features import Feature

FEATURE = Feature(
    name="models",
    what="chat, embeddings, reranking, search models and X, over many providers",
    extra="rerank",
    packages=("wordllama",),
)
