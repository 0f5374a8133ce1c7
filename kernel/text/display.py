"""Make text from outside fit to be shown to a person or a model."""

from collections.abc import Sequence
from itertools import filterfalse

from webseam.ports.text import INVISIBLE_PATTERN, encode_address, one_line, strip_hidden

# Listed, because this module also offers what the ports define.
__all__ = [
    "are_plain_texts", "encode_address", "hidden_offsets", "is_plain_text", "one_line",
    "quote_value", "strip_hidden", "strip_hidden_values",
]  # fmt: skip
_TEXT_TYPES = frozenset({str})


def strip_hidden_values(value: object) -> object:
    """Drop hidden characters from every text in a JSON value, including names."""
    if isinstance(value, str):
        return strip_hidden(value)
    if isinstance(value, dict):
        return {strip_hidden_values(name): strip_hidden_values(value[name]) for name in value}
    if isinstance(value, list | tuple):
        return [strip_hidden_values(item) for item in value]
    return value


def hidden_offsets(text: str) -> list[int]:
    """Return the positions of the characters that ``strip_hidden`` drops, in order."""
    return [match.start() for match in INVISIBLE_PATTERN.finditer(text)]


# A larger integer is no sensible count, and takes long to print.
_MAX_INTEGER_BITS = 64


def quote_value(value: object, max_chars: int = 80) -> str:
    """Quote a value from outside in an error: escaped, on one line, bounded."""
    if type(value) is float or (type(value) is int and value.bit_length() <= _MAX_INTEGER_BITS):
        return repr(value)
    if not isinstance(value, str):
        return f"a value of type {type(value).__name__[:40]}"
    quoted = ascii(str(value[:max_chars]))
    return quoted if len(value) <= max_chars else quoted[:-1] + "…'"


def is_plain_text(text: str) -> bool:
    """Tell whether ``text`` is a real ``str`` that can be encoded as UTF-8.

    A lone surrogate cannot be encoded; a subclass of ``str`` may override any method.
    """
    return type(text) is str and (text.isascii() or _is_encodable_text(text))


def are_plain_texts(texts: Sequence[str]) -> bool:
    """Tell whether each of ``texts`` is plain; fast for ASCII."""
    is_text = {*map(type, texts)} <= _TEXT_TYPES
    return is_text and _is_encodable_text("".join(filterfalse(str.isascii, texts)))


def _is_encodable_text(text: str) -> bool:
    # UTF-32 refuses the same texts as UTF-8, in half the time; Python has it built in.
    try:
        text.encode("utf-32")
    except UnicodeEncodeError:
        return False
    return True
