"""Stores of cached answers, keys, spending, health, texts and jobs."""
