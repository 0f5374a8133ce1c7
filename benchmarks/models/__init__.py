"""Reading answers of models, beside the official SDKs."""
