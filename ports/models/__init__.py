"""Define the ports of models: chat, compression, embeddings, rerank."""
