"""Web services: one file each, data and pure functions, no I/O."""
