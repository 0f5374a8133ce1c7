"""Prove typed values: normal forms, one checker, and witnesses that it hears."""
