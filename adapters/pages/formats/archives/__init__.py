"""Archives: what is in them is listed, and nothing of it is opened."""
