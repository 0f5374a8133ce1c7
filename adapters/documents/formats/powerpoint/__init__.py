"""PowerPoint before 2007: records inside of records, in a compound file."""
