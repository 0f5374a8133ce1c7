"""Parsing of untrusted numbers with a limit, because Python raises on very long ones."""


def parse_whole_number(text: str, digits: int = 9) -> int | None:
    """Return a whole number of at most ``digits`` digits; None for anything else.

    >>> (parse_whole_number("07"), parse_whole_number("123456789"), parse_whole_number("-1"),
    ...  parse_whole_number("²"), parse_whole_number("9" * 5_000))
    (7, 123456789, None, None, None)
    """
    fits = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits else None
