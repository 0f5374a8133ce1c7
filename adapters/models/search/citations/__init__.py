"""Citations in a model's answer: one extractor for the answers of all APIs."""
