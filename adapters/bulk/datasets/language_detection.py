"""Which language a text is written in, by CLD2: its tables are compiled in, nothing is loaded."""

import re
from typing import Final

_LOOKED_AT: Final = 2000
# Letters that stand alone, which CLD2 refuses, make a text no other.
_UNFIT: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def detect_language(text: str) -> str | None:
    """Return the language's code, None where it cannot be told."""
    import pycld2  # noqa: PLC0415  an extra

    start = _UNFIT.sub(" ", text[:_LOOKED_AT])
    try:
        reliable, _, guesses = pycld2.detect(start, isPlainText=True)
    except pycld2.error:
        return None
    code = guesses[0][1]
    return None if not reliable or code == "un" else str(code)
