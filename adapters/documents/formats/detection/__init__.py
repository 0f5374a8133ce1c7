"""The kind and the charset of a body."""
