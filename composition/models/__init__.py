"""Models, opened: providers, search models, the compressor and other small work."""
