"""Excel before 2007: a stream of records in a compound file."""
