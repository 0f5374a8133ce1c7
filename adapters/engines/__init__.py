"""Who works on shards: this machine."""
