"""What a run reads: its inputs as they are typed, cut into shards, and one after the other."""
