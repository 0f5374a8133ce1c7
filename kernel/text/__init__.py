"""Text that is cut, cleaned and masked. Pure."""
