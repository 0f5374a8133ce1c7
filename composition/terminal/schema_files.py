"""JSON schemas in files: errors name the line and the column."""

import json
import re
from pathlib import Path
from typing import NoReturn

from returns.result import Failure, Result, Success

from webseam.kernel.text.display import quote_value
from webseam.ports.errors import InvalidQuery

_MAX_SCHEMA_BYTES = 1024 * 1024
# Only Python's parser accepts these as numbers; strings may contain them.
_JSON_CONSTANT_PATTERN = re.compile(r'"(?:[^"\\]|\\.?)*+"?|(-?Infinity|NaN)', re.DOTALL)


def read_schema_option(file: str) -> Result[dict[str, object], InvalidQuery]:
    """Return the JSON object in a file, or an error with its line and column."""
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(_MAX_SCHEMA_BYTES + 1)
    except OSError as error:
        return _refuse_schema(f"{quote_value(file)} cannot be read: {error.strerror}")
    if len(data) > _MAX_SCHEMA_BYTES:
        return _refuse_schema(f"{quote_value(file)} is larger than {_MAX_SCHEMA_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        return _refuse_schema(
            f"{quote_value(file)}{_schema_line_column(before, len(before))} is not text in UTF-8"
        )
    return _parse_schema_option(file, text)


def _parse_schema_option(file: str, text: str) -> Result[dict[str, object], InvalidQuery]:
    try:
        value = json.loads(text, parse_constant=_refuse_json_constant)
    except json.JSONDecodeError as error:
        position = _schema_line_column(text, error.pos)
        return _refuse_schema(
            f"{quote_value(file)}{position} is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        )
    except ValueError:
        offsets = (match.start(1) for match in _JSON_CONSTANT_PATTERN.finditer(text) if match[1])
        position = _schema_line_column(text, next(offsets, 0))
        return _refuse_schema(f"{quote_value(file)}{position} is not JSON: there is no such number")
    except RecursionError:
        return _refuse_schema(f"{quote_value(file)}, line 1, column 1: goes too deep")
    if isinstance(value, dict):
        return Success(value)
    position = _schema_line_column(text, len(text) - len(text.lstrip()))
    return _refuse_schema(
        f"{quote_value(file)}{position} must be an object, which is what a JSON schema is"
    )


def _schema_line_column(text: str, offset: int) -> str:
    """Return the line and column of an offset, counted from 1 as editors do."""
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return f", line {line}, column {column}:"


def _refuse_json_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse_schema(reason: str) -> Failure[InvalidQuery]:
    return Failure(InvalidQuery(field="--schema", reason=reason))
