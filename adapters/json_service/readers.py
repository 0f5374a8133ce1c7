"""Single settings of a block: each reader returns the value, or what it must be instead."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

import msgspec
from returns.result import Failure, Result, Success

from ..values.json_fields import number
from .description import FIELDS
from .templates import JsonPath, explain_template_fault, read_path, template_texts

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OURS = ("connection", "content-length", "content-type", "host", "transfer-encoding")


class FieldProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, and with which field of the block, such as ``("fields", "link")``."""

    field: tuple[str, ...] = ()
    reason: str


Read: TypeAlias = Result[Any, FieldProblem]
Reader: TypeAlias = Callable[[object], Read]


def text_setting(value: object) -> Read:
    """Read a text; a number or a yes or no stands for its own spelling."""
    if isinstance(value, bool):
        return Success(str(value).lower())
    return Success(str(value).strip()) if isinstance(value, str | int | float) else _must("a text")


def texts_setting(value: object) -> Read:
    """Read one text or several."""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in listed):
        return _must("a text or a list of texts")
    return Success(tuple(listed))


def flag_setting(value: object) -> Read:
    """Read a yes or no."""
    return Success(value) if isinstance(value, bool) else _must("true or false")


def count_setting(value: object) -> Read:
    """Read a whole number above zero."""
    right = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return Success(value) if right else _must("a whole number above 0")


def seconds_setting(value: object) -> Read:
    """Read a number of seconds above zero."""
    seconds = number(value)
    right = seconds is not None and seconds > 0
    return Success(seconds) if right else _must("a number of seconds above 0")


def choice_setting(kind: object) -> Reader:
    """Read one of the words that a type allows, in any case."""
    words: dict[str, str] = {str(word).lower(): word for word in get_args(kind)}

    def read(value: object) -> Read:
        word = words.get(str(value).strip().lower())
        return Success(word) if word else _must(f"one of {', '.join(words.values())}")

    return read


def path_setting(value: object) -> Read:
    """Read where something is in the answer."""
    if not isinstance(value, str):
        return _must("a path such as data.items")
    return read_path(value).alt(lambda reason: FieldProblem(reason=reason))


def template_setting(value: object) -> Read:
    """Read a text with places to fill."""
    if not isinstance(value, str):
        return _must("a text")
    wrong = explain_template_fault(value)
    return Success(value.strip()) if wrong is None else Failure(FieldProblem(reason=wrong))


def templates_setting(value: object) -> Read:
    """Read parameters by name, each a text with places to fill."""
    if not isinstance(value, Mapping):
        return _must("a block of names and values")
    for name, item in value.items():
        template = template_setting(item) if isinstance(item, str) else text_setting(item)
        if isinstance(template, Failure):
            return _below(str(name), template.failure())
    return Success(dict(value))


def body_setting(value: object) -> Read:
    """Read what is sent as JSON, with places to fill in its texts."""
    if not isinstance(value, Mapping | list):
        return _must("a block or a list, as the JSON that is sent")
    wrong = next(
        (why for text in template_texts(value) if (why := explain_template_fault(text))), None
    )
    return Success(value) if wrong is None else Failure(FieldProblem(reason=wrong))


def headers_setting(value: object) -> Read:
    """Read headers by name, in small letters."""
    if not isinstance(value, Mapping):
        return _must("a block of names and values")
    headers: list[tuple[str, str]] = []
    for name, item in value.items():
        text = text_setting(item).value_or(None)
        if text is None or not (text.isascii() and text.isprintable()):
            return _below(str(name), FieldProblem(reason="must be a text of plain letters"))
        wrong = explain_header_fault(str(name))
        if wrong is not None:
            return _below(str(name), FieldProblem(reason=wrong))
        headers.append((str(name).lower(), text))
    return Success(tuple(headers))


def explain_header_fault(name: str) -> str | None:
    """Say why a header cannot have this name; None when it can."""
    if _HEADER.fullmatch(name) is None:
        return "is not the name of a header"
    return "is set by webseam itself" if name.lower() in _OURS else None


def fields_setting(value: object) -> Read:
    """Read where each field of a row is; one may have several places."""
    if not isinstance(value, Mapping):
        return _must("a block of fields and their paths")
    paths_read: dict[str, tuple[JsonPath, ...]] = {}
    for name, item in value.items():
        if name not in FIELDS:
            known = f"is not a field of a row; there are {', '.join(FIELDS)}"
            return _below(str(name), FieldProblem(reason=known))
        paths = [path_setting(path) for path in (item if isinstance(item, list) else [item])]
        wrong = next((path for path in paths if isinstance(path, Failure)), None)
        if wrong is not None:
            return _below(name, wrong.failure())
        paths_read[name] = tuple(path.unwrap() for path in paths)
    return Success(paths_read)


def _below(name: str, problem: FieldProblem) -> Failure[FieldProblem]:
    return Failure(msgspec.structs.replace(problem, field=(name, *problem.field)))


def _must(what: str) -> Failure[FieldProblem]:
    return Failure(FieldProblem(reason=f"must be {what}"))
