"""What a provider, a wire and an account are; the records that providers fill in."""
