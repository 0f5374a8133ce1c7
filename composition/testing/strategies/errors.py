"""Any failure that a port may return."""

import types
from typing import Any, Literal, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from ....ports.errors import WebError


def errors() -> st.SearchStrategy[WebError]:
    """Give any ``WebError``, with any fields that its type allows."""
    return st.sampled_from(get_args(WebError)).flatmap(_of)


def _of(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    fields = msgspec.structs.fields(kind)
    return st.builds(kind, **{field.name: _values(field.type) for field in fields})


def _values(hint: object) -> st.SearchStrategy[object]:
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if get_origin(hint) is types.UnionType:
        return st.one_of([_values(part) for part in get_args(hint)])
    return _PLAIN[hint]


_PLAIN: dict[object, st.SearchStrategy[object]] = {
    bool: st.booleans(),
    str: st.text(max_size=30),
    int: st.integers(0, 1000),
    float: st.floats(0, 1e6),
    types.NoneType: st.none(),
    tuple[str, ...]: st.lists(st.text(max_size=8), max_size=3).map(tuple),
}
