"""Make text from outside fit to be shown to a person or a model."""

from collections.abc import Sequence
from itertools import filterfalse
from typing import cast

from webseam.ports.text import (
    class_name,
    encode_address,
    hidden_offsets,
    is_text,
    one_line,
    plain_text,
    strip_hidden,
    type_name,
)

# Listed, because this module also offers what the ports define.
__all__ = [
    "are_plain_texts",
    "class_name",
    "encode_address",
    "hidden_offsets",
    "is_plain_text",
    "is_text",
    "one_line",
    "plain_text",
    "plain_texts",
    "quote_value",
    "strip_hidden",
    "strip_hidden_values",
    "type_name",
]
_TEXT_TYPES = frozenset({str})
# A larger integer is no sensible count, and takes long to print.
_MAX_INTEGER_BITS = 64
_PLAIN_KINDS = frozenset({str, int, float, bool, type(None)})


def strip_hidden_values(value: object) -> object:
    r"""Drop hidden characters from every text in a JSON value, including names.

    >>> strip_hidden_values({"type": ["text/html\x9b2J", 1]})
    {'type': ['text/html2J', 1]}
    """
    if isinstance(value, str):
        return strip_hidden(value)
    if isinstance(value, dict):
        return {strip_hidden_values(name): strip_hidden_values(value[name]) for name in value}
    if isinstance(value, list | tuple):
        return [strip_hidden_values(item) for item in value]
    return value


def quote_value(value: object, max_chars: int = 80) -> str:
    """Quote a value from outside in an error: escaped, on one line, bounded.

    >>> quote_value("javascript:alert(1)")
    "'javascript:alert(1)'"
    >>> quote_value(2.5)
    '2.5'
    >>> quote_value([2.5])
    'a value of type list'
    """
    if type(value) is float or (type(value) is int and value.bit_length() <= _MAX_INTEGER_BITS):
        return repr(value)
    if not is_text(value):
        return f"a value of type {type_name(value)[:40]}"
    text = plain_text(value)
    quoted = ascii(text[:max_chars])
    return quoted if len(text) <= max_chars else quoted[:-1] + "…'"


def plain_texts(value: object) -> object:
    """Return a JSON value with each text as a real ``str``; other parts are the same objects.

    Libraries such as lxml and numpy give subclasses of ``str``: they count as the text that they
    are. A subclass may override any method, so no check sees one.
    """
    kind = type(value)
    if issubclass(kind, str):
        return plain_text(cast("str", value))
    if issubclass(kind, dict):
        fields: dict[object, object] = {}
        for name, part in dict.items(cast("dict[object, object]", value)):
            plain_name = name if type(name) is str else plain_texts(name)
            # Most parts are no text of a library's; a call for each is half of the work.
            fields[plain_name] = part if type(part) in _PLAIN_KINDS else plain_texts(part)
        return fields
    if kind is list:
        return [plain_texts(part) for part in cast("list[object]", value)]
    if kind is tuple:
        return tuple([plain_texts(part) for part in cast("tuple[object, ...]", value)])
    return value


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
