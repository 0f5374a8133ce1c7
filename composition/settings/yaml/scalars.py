"""YAML's single values: what a text means, and how a value is written as one."""

import json

import yaml
from returns.result import Failure, Result, Success

_TAG = "tag:yaml.org,2002:"
_RESOLVER = yaml.resolver.Resolver()
_READER = yaml.constructor.SafeConstructor()
_READERS = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": _READER.construct_yaml_bool,
    f"{_TAG}int": _READER.construct_yaml_int,
    f"{_TAG}float": _READER.construct_yaml_float,
}
# A date is a text to us, and so are the two signs that YAML gives a meaning of their own.
_TEXTS = ("", "!", f"{_TAG}str", f"{_TAG}timestamp", f"{_TAG}value", f"{_TAG}merge")


def read_scalar(text: str, tag: str | None, *, plain: bool) -> Result[object, str]:
    """Return what a scalar means: None, a yes or no, a number or a text.

    >>> [read_scalar("no", None, plain=plain).unwrap() for plain in (True, False)]
    [False, 'no']
    """
    kind = tag or ""
    if kind == "" and plain:
        # Its types leave this out.
        kind = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    if kind in _TEXTS:
        return Success(text)
    if kind not in _READERS:
        return Failure(f"has a tag {tag!r} that means nothing here")
    try:
        return Success(_READERS[kind](yaml.ScalarNode(kind, text)))
    except (ValueError, KeyError, OverflowError):
        # It looks like a number and is none, such as 0b_ or one of five thousand digits.
        return Success(text)


def write_scalar(value: str | float | tuple[str | int, ...]) -> str:
    """Return a value as it stands in a YAML file, on one line: bare when that means the same.

    >>> write_scalar("lumen"), write_scalar("no"), write_scalar("a: b #c"), write_scalar((20, "a"))
    ('lumen', '"no"', '"a: b #c"', '[20, a]')
    """
    if isinstance(value, tuple):
        return f"[{', '.join(map(write_scalar, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if _is_bare(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in quoted)


def _is_bare(text: str) -> bool:
    # Narrower than YAML, so that it holds in a list in brackets, too.
    safe = bool(text) and all(c.isascii() and (c.isalnum() or c in "_-./+=@") for c in text)
    return safe and text[0].isalnum() and read_scalar(text, None, plain=True) == Success(text)


def _escaped(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"  # noqa: PLR2004
