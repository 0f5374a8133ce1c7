"""Compressors that are models."""
