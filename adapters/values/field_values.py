"""Field values out of untrusted JSON and HTML."""

import math
import re
from collections.abc import Sequence
from itertools import filterfalse

# A tag begins with a letter, or is a closing tag, a comment or a declaration: "a < b" stays.
# An unclosed comment stops at the next one; otherwise each would be searched to the text's end.
_HTML_TAG_PATTERN = re.compile(
    r"<(?:[A-Za-z][^<>]*|/[A-Za-z][^<>]*|!--(?:(?!<!--).)*?--|![A-Za-z][^<>]*)>", re.DOTALL
)
_BLOCK_TAG_PATTERN = re.compile(
    r"<(?:br|/?p|/?div|/?li|/?jats:p|/?jats:title)\b[^<>]*>", re.IGNORECASE
)

_NUMBER_TYPES = (float, int)


def strip_markup(value: object) -> str:
    """Return a text without tags and entities, on one line; empty for anything else."""
    if not isinstance(value, str):
        return ""
    # Nearly no text has markup, and looking for one character costs next to nothing.
    if "<" in value:
        value = _HTML_TAG_PATTERN.sub("", _BLOCK_TAG_PATTERN.sub(" ", value))
    if "&" in value:
        import html  # noqa: PLC0415  its table of entities is large

        value = html.unescape(value)
    # The only blank that is printable is the space.
    is_clean = value.isprintable() and "  " not in value
    return value.strip() if is_clean else " ".join(value.split())


# ASCII's blanks besides the space.
_LINE_BLANKS = "\t\n\v\f\r\x1c\x1d\x1e\x1f"


def are_clean_texts(texts: Sequence[str]) -> bool:
    """Tell whether ``strip_markup`` changes no stripped text of these; a False proves nothing."""
    plain = "".join(filter(str.isascii, texts))
    other = "".join(filterfalse(str.isascii, texts))
    # Python finds two blanks from the right in half of the time that ``in`` takes.
    if any("<" in text or "&" in text or text.rfind("  ") >= 0 for text in (plain, other)):
        return False
    # In ASCII few blanks have to be looked for, and other signs may stay.
    return not any(map(plain.__contains__, _LINE_BLANKS)) and other.isprintable()


def truncate_snippet(value: object, max_chars: int = 2000) -> str:
    """Return the start of a long text, without markup, cut between words."""
    text = strip_markup(value)
    if len(text) <= max_chars:
        return text
    return f"{text[: max_chars + 1].rpartition(' ')[0] or text[:max_chars]} …"


def collapse_blanks(value: object) -> str:
    """Return a text with every run of blanks as one space; empty for anything else."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def at(value: object, *path: str | int) -> object:
    """Return the value at ``path``; None when there is none.

    >>> at({"data": [{"name": "a"}]}, "data", 0, "name")
    'a'
    >>> at({"data": None}, "data", "name") is None
    True
    """
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def texts(value: object) -> list[str]:
    """Return the texts in a list; a bare text counts as one.

    >>> texts(["a", None, "b"]), texts("a"), texts(None)
    (['a', 'b'], ['a'], [])
    """
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def first(*values: object) -> str:
    """Return the first text that is not blank.

    >>> first(None, " ", "b")
    'b'
    """
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def number(value: object) -> float | None:
    """Return a finite number, or None.

    >>> number(2), number(True), number("2"), number(float("nan"))
    (2.0, None, None, None)
    """
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, _NUMBER_TYPES):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer with hundreds of digits
        return None


def said(payload: object) -> str:
    """Return the error text of a payload, from the fields that services use for it.

    >>> said({"error": {"message": "no credit"}}), said({"errors": [{"message": "no such field"}]})
    ('no credit', 'no such field')
    """
    for _ in range(3):
        if isinstance(payload, list):
            payload = payload[0] if payload else ""
        if isinstance(payload, str):
            return payload
        if not isinstance(payload, dict):
            return ""
        payload = next((payload[key] for key in _ERROR_TEXT_KEYS if payload.get(key)), "")
    return payload if isinstance(payload, str) else ""


_ERROR_TEXT_KEYS = ("error", "detail", "message", "msg", "reason", "errors", "code")
