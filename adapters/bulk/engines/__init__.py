"""Who works on shards: this machine, or a Ray cluster."""
