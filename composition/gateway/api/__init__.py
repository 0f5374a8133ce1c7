"""What is behind each path: our own API and the dialects."""
