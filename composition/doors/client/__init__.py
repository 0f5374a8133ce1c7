"""Search and read the web from Python: ``open`` for async code, plain functions for the rest."""
