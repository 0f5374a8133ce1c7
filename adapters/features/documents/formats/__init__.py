"""Readers of everything but HTML; each module declares the kinds that it reads."""
