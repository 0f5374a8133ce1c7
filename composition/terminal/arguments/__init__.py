"""What a command line says: options, dates, names of files."""
