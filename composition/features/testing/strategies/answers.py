"""Strategies for a backend's answers: errors, JSON, pages and rows, lawful and hostile."""

import functools
import types
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from webseam.ports.backends import UntrustedRow
from webseam.ports.errors import WebError
from webseam.ports.errors.error_fields import Foreign

from . import hostile
from .questions import hostile_urls, urls

_PLAIN_TYPE_VALUES: dict[object, st.SearchStrategy[object]] = {
    bool: st.booleans(), str: st.text(max_size=30), Foreign: st.text(max_size=30),
    int: st.integers(0, 1000), float: st.floats(0, 1e6), Decimal: st.decimals(0, 1000, places=2),
    types.NoneType: st.none(),
    tuple[str, ...]: st.lists(st.text(max_size=8), max_size=3).map(tuple),
    Mapping[str, str]: st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=2),
}  # fmt: skip
_JSON_KEYS = st.text(max_size=5) | st.sampled_from(
    ["results", "error", "message", "url", "title", "description", "snippet", "content", "score"]
)
_JSON_LEAVES: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.sampled_from(["https://example.com/", "javascript:alert(1)", ""]),
)
_PAGE_TEXTS = st.text(max_size=100)
_REQUIRED_PAGE_FIELDS: dict[str, st.SearchStrategy[object]] = {"content": _PAGE_TEXTS}
_NOT_TEXTS: tuple[object, ...] = (7, True, b"t", ["t"], {}, "\ud800", hostile.LyingText("\ud800"))
_ROWS: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"title": st.text(max_size=40), "url": urls()},
    optional={
        "snippet": st.text(max_size=60),
        "published_at": st.none() | st.dates().map(str),
        "score": st.none() | st.integers(-10, 10) | st.floats(-1e6, 1e6),
        "origin": st.sampled_from(["index", "model"]),
        "vendor_field": st.integers() | st.none(),
    },
)
_ROW_BREAKS: dict[object, st.SearchStrategy[object]] = {
    "url": hostile_urls() | st.just(hostile.LyingText("javascript:alert(1)")),
    "title": st.sampled_from(
        [None, 7, True, b"t", ["t"], {}, hostile.LyingText("\ud800"), "t" * 10_001]
    ),
    "snippet": st.sampled_from([None, 7, b"s", [], hostile.LyingText("\ud800"), "s" * 100_001]),
    "published_at": hostile.lone_surrogates()
    | st.sampled_from([20260101, True, [], hostile.LyingText("\ud800"), "2" * 101]),
    "score": st.sampled_from([float("nan"), float("inf"), float("-inf"), "0.5", True, [], 1j]),
    "origin": st.sampled_from(["", "web", None, 7, True, ["index"]]),
}
_BROKEN_ROWS = st.one_of(
    hostile.break_field(_ROWS, _ROW_BREAKS),
    hostile.break_field(
        _ROWS, {"title": hostile.lone_surrogates(), "snippet": hostile.lone_surrogates()}
    ),
)


def errors() -> st.SearchStrategy[WebError]:
    """Give any ``WebError``, with any fields that its type allows."""
    return st.sampled_from(get_args(WebError)).flatmap(_struct_instances)


def _struct_instances(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    fields = msgspec.structs.fields(kind)
    return st.builds(kind, **{field.name: _typed_values(field.type) for field in fields})


def _typed_values(hint: object) -> st.SearchStrategy[object]:
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) in (types.UnionType, Union):
        return st.one_of([_typed_values(part) for part in get_args(hint)])
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return _struct_instances(hint)
    if get_origin(hint) is tuple and hint not in _PLAIN_TYPE_VALUES:
        return st.lists(_typed_values(get_args(hint)[0]), max_size=2).map(tuple)
    if get_origin(hint) is Mapping and hint not in _PLAIN_TYPE_VALUES:
        key, value = get_args(hint)
        return st.dictionaries(_typed_values(key), _typed_values(value), max_size=2)
    return _PLAIN_TYPE_VALUES[hint]


def json_values() -> st.SearchStrategy[object]:
    """Give any JSON value; its keys include those that services use."""
    return _JSON_VALUES


def _json_containers(inside: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inside, max_size=5) | st.dictionaries(_JSON_KEYS, inside, max_size=6)


_JSON_VALUES = st.recursive(_JSON_LEAVES, _json_containers, max_leaves=20)


@functools.lru_cache(maxsize=64)
def documents(url: str) -> st.SearchStrategy[dict[str, object]]:
    """Give pages for ``url`` that keep the document law."""
    return st.fixed_dictionaries(
        {"url": st.just(url), **_REQUIRED_PAGE_FIELDS}, optional=_OPTIONAL_PAGE_FIELDS
    )


@functools.lru_cache(maxsize=64)
def hostile_documents(url: str) -> st.SearchStrategy[object]:
    """Give pages that break the law: malformed, or for another URL than ``url``."""
    spoiled = hostile.break_field(documents(url), _PAGE_BREAKS)
    return st.one_of(
        spoiled,
        spoiled.map(lambda page: hostile.LoosePage(**page)),
        spoiled.map(MappingProxyType),
        documents(f"https://another.{len(url)}.example/"),
        hostile.drop_field(documents(url), "url", "content"),
        hostile.exceptions().map(hostile.RaisingMapping),
        st.sampled_from([None, 7, "page", b"page", [], {}, object()]),
    )


_OPTIONAL_PAGE_FIELDS: dict[str, st.SearchStrategy[object]] = {
    "title": st.text(max_size=40),
    "final_url": st.none() | urls(),
    "raw_content": st.none() | _PAGE_TEXTS,
    "metadata": st.none() | st.dictionaries(st.text(max_size=5), json_values(), max_size=3),
}
_PAGE_BREAKS: dict[object, st.SearchStrategy[object]] = {
    "url": hostile_urls(),
    "content": st.sampled_from([None, *_NOT_TEXTS]),
    "title": st.sampled_from([None, *_NOT_TEXTS]),
    "raw_content": st.sampled_from(_NOT_TEXTS),
    "final_url": hostile_urls().filter(lambda value: value is not None),
    "metadata": st.sampled_from(
        [7, "m", ["m"], {1: "m"}, {"m": object()}, {"m": "x" * 70_000}, {"m": {1j: 2}}],
    ),
}


def rows() -> st.SearchStrategy[dict[str, object]]:
    """Give rows that keep the row law, as plain dicts."""
    return _ROWS


def disguised_rows() -> st.SearchStrategy[UntrustedRow]:
    """Give rows that keep the row law, as dicts, other mappings and Structs."""
    return st.one_of(_ROWS, _ROWS.map(MappingProxyType), _ROWS.map(_row_as_struct))


def hostile_rows() -> st.SearchStrategy[object]:
    """Give values that break the row law, of many types."""
    return _HOSTILE_ROWS


def _row_as_struct(row: dict[str, object]) -> hostile.LooseRow:
    named = {key: value for key, value in row.items() if key in hostile.LooseRow.__struct_fields__}
    return hostile.LooseRow(**named)


_HOSTILE_ROWS: st.SearchStrategy[object] = st.one_of(
    _BROKEN_ROWS,
    _BROKEN_ROWS.map(_row_as_struct),
    _BROKEN_ROWS.map(MappingProxyType),
    hostile.drop_field(_ROWS, "url", "title"),
    hostile.break_field(_ROWS, {7: st.just("a field without a name")}),
    hostile.exceptions().map(hostile.RaisingMapping),
    st.sampled_from([None, 7, "row", b"row", [], (), {}, object(), ["title", "url"], {1, 2}]),
    st.builds(hostile.LooseRow),
    st.builds(lambda: (part for part in ("title", "url"))),
)
