"""Executors of shards: this machine, or a Ray cluster."""
