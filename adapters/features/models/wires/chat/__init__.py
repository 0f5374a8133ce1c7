"""OpenAI's Chat Completions API, and the variants of other providers."""
