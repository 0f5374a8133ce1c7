"""Effects, without decisions: HTTP, services, stores, models."""
