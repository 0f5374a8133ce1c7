"""Raised numbers as the characters that Unicode has for them."""

import re
from typing import Final

# Only digits and n are raised: "1st" reads well without, "x to the n+1" does not.
_RAISED_PART: Final = "(?:[0-9]{1,4}n?|n)"
_RAISED_PATTERN: Final = re.compile(
    rf"\s*[+\u2212-]?{_RAISED_PART}(?:\s?[+\u2212-]\s?{_RAISED_PART}){{0,3}}\s*"
)
_SUPERSCRIPTS: Final = str.maketrans("0123456789+-\u2212n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def superscript(text: str) -> str:
    """Return raised text with superscript characters: ten to the sixth is not 106.

    >>> superscript("6"), superscript("-1"), superscript("2n + 1"), superscript("st")
    ('⁶', '⁻¹', '²ⁿ⁺¹', 'st')
    """
    return (
        "".join(text.split()).translate(_SUPERSCRIPTS) if _RAISED_PATTERN.fullmatch(text) else text
    )
