"""Word, since 2007."""
