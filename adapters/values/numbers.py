"""Numbers that others write, read with a limit: Python itself refuses very long ones."""


def whole(text: str, digits: int = 9) -> int | None:
    """Return a whole number of at most so many digits; None for anything else.

    >>> whole("07"), whole("123456789"), whole("-1"), whole("²"), whole("9" * 5_000)
    (7, 123456789, None, None, None)
    """
    fits = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits else None
