"""The records that declare a provider, its account and a wire."""
