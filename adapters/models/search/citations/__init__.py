"""Sources taken out of a model's answer: the one extractor for all shapes."""
