"""PowerPoint before 2007: nested records in a compound file."""
