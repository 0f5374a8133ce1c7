"""The catalogue of providers: built-in, installed, and declared in settings."""
