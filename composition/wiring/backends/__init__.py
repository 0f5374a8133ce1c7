"""The table of backends: what there is, which one answers, and how it is opened."""
