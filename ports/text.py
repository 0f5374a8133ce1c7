"""Characters that show nothing, for classes of patterns, and texts of a bounded length."""

# Default-ignorable code points (DerivedCoreProperties.txt of Unicode 16, read 2026-11-15) and the
# marks of annotations. Joiners are apart: Persian and Hindi need ZWNJ and ZWJ, and emoji need ZWJ
# and the last two variation selectors.
IGNORABLE_CHARS = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
JOINER_CHARS = "\u200c\u200d\ufe0e\ufe0f"
# Controls except tab and newline.
CONTROL_CHARS = "\x00-\x08\x0b-\x1f\x7f-\x9f"


def truncate(text: str, max_chars: int) -> str:
    """Return a text of at most ``max_chars`` characters; an ellipsis stands for a lost end.

    >>> truncate("tide tables", 6), truncate("tides", 5)
    ('tide…', 'tides')
    """
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"
