"""What AWS asks of a caller: signatures, profiles, regions."""
