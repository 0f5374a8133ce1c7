"""Many pages into a dataset: what ``webseam bulk`` and ``webseam.bulk`` do."""
