"""Many pages into a dataset: the decisions, without an effect."""
