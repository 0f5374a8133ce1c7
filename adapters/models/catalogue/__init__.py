"""The providers that are known: ours, installed ones, those that settings declare."""
