"""Which language a text is written in, by CLD2: its tables are compiled in, nothing is loaded."""

from typing import Final

_LOOKED_AT: Final = 2000
# Letters that stand alone, which CLD2 refuses, make a text no other.
_FIT: Final = dict.fromkeys((*range(0xD800, 0xE000), *range(32), 0x7F, 0xFFFE, 0xFFFF), " ")


def language_of(text: str) -> str | None:
    """Return the language's code, None where it cannot be told."""
    import pycld2  # noqa: PLC0415  an extra

    start = text[:_LOOKED_AT].translate(_FIT)
    try:
        reliable, _, guesses = pycld2.detect(start, isPlainText=True)
    except pycld2.error:
        return None
    code = guesses[0][1]
    return None if not reliable or code == "un" else str(code)
