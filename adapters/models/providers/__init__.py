"""One file per provider, which declares everything that is special about it."""
