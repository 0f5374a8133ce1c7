"""What stands beside the core, a folder each; ``feature_table.py`` lists them."""
