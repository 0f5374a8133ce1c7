"""Compressors: a long page made short."""
