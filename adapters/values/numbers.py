"""Parsing of untrusted numbers with a limit, because Python raises on very long ones."""


def parse_whole_number(text: str, digits: int = 9) -> int | None:
    """Return a whole number of at most ``digits`` digits; None for anything else."""
    fits = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits else None
