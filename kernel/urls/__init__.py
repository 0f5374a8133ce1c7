"""URLs: parsed, spelled in one way, compared. Pure."""
