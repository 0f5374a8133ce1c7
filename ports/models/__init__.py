"""What is asked of models: chat, compression, embeddings, rerank."""
