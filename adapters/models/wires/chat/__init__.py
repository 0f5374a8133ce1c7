"""OpenAI's Chat Completions API, and what others made of it."""
