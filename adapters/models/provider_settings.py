"""What settings may say of any provider, field by field."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, TypeAlias, get_args

import msgspec
from returns.result import Failure, Result, Success

from ...ports.models import Effort
from .base_urls import host_of
from .provider import ApiMode

_Text: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HEADER_VALUE = re.compile(r"[!-~]([ -~]*[!-~])?")


class ProviderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that every provider has; None is not set."""

    base_url: _Text | None = None
    api_key: _Text | None = None
    env: _Text | tuple[_Text, ...] | None = None
    key_header: _Text | None = None
    model: _Text | None = None
    auxiliary_model: _Text | None = None
    aliases: tuple[_Text, ...] | None = None
    title: _Text | None = None
    api_mode: ApiMode | None = None
    path: _Text | None = None
    headers: Mapping[str, str] | None = None
    temperature: Literal["caller", "omit"] | float | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] | None = None
    efforts: tuple[Effort, ...] | None = None
    structured_output: Literal["json_schema", "json_object", "none"] | None = None
    extra_body: Mapping[str, object] | None = None
    drop: frozenset[_Text] | None = None

    def __repr__(self) -> str:
        # A key may stand in three of them.
        return "ProviderSettings(...)"


FIELDS = {field.name: field.type for field in msgspec.structs.fields(ProviderSettings)}


def read_field(name: str, value: object) -> Result[object, str]:
    """Return the value that a field may have, or what is wrong with it."""
    try:
        read = msgspec.convert(value, FIELDS[name])
    except msgspec.ValidationError as error:
        return Failure(_said(str(error), FIELDS[name]))
    wrong = _WRONG[name](read) if name in _WRONG else ""
    return Failure(wrong) if wrong else Success(read)


def _said(error: str, hint: object) -> str:
    """Say what is expected, without what was given: a key may have slipped into any field."""
    if error.startswith("Invalid enum value"):
        number = " or a number" if float in get_args(hint) else ""
        return f"it must be one of {', '.join(_choices(hint))}{number}"
    return error.replace(" | null", "")


def _choices(hint: object) -> Iterator[str]:
    for part in get_args(hint):
        yield from (part,) if isinstance(part, str) else _choices(part)


def _wrong_url(url: object) -> str:
    fine = str(url).startswith(("https://", "http://")) and host_of(str(url))
    return "" if fine else "it must begin with https:// or http:// and name a host"


def _wrong_path(path: object) -> str:
    return "" if str(path).startswith("/") else "it must begin with a slash"


def _wrong_name(name: object) -> str:
    return "" if _HEADER_NAME.fullmatch(str(name)) else "it must be the name of a header"


def _wrong_headers(headers: object) -> str:
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    fine = all(_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(v) for name, v in pairs)
    return "" if fine else "a header's name is a word, and its value is one line of plain ASCII"


_WRONG = {
    "base_url": _wrong_url,
    "headers": _wrong_headers,
    "key_header": _wrong_name,
    "path": _wrong_path,
}
