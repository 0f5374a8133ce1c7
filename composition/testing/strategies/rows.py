"""Rows that keep the row law, and rows that break it."""

from types import MappingProxyType

from hypothesis import strategies as st

from ....ports.backends import UntrustedRow
from .breaking import broken, lone_surrogates, without
from .evil import LooseRow, LyingText, RaisingMapping
from .exceptions import exceptions
from .urls import hostile_urls, urls


def rows() -> st.SearchStrategy[dict[str, object]]:
    """Give rows that keep the row law, as plain dicts."""
    return _ROWS


def disguised_rows() -> st.SearchStrategy[UntrustedRow]:
    """Give rows that keep the row law, as other mappings and as Structs too."""
    return st.one_of(_ROWS, _ROWS.map(MappingProxyType), _ROWS.map(_as_struct))


def hostile_rows() -> st.SearchStrategy[object]:
    """Give rows of which each breaks the row law, in whatever dress."""
    return _HOSTILE


def _as_struct(row: dict[str, object]) -> LooseRow:
    named = {name: value for name, value in row.items() if name in LooseRow.__struct_fields__}
    return LooseRow(**named)


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

_BREAKS: dict[object, st.SearchStrategy[object]] = {
    "url": hostile_urls() | st.just(LyingText("https://example.com/")),
    "title": st.sampled_from([None, 7, True, b"t", ["t"], {}, LyingText("t"), "t" * 10_001]),
    "snippet": st.sampled_from([None, 7, b"s", [], LyingText("s"), "s" * 100_001]),
    "published_at": lone_surrogates()
    | st.sampled_from([20260101, True, [], LyingText("2026"), "2" * 101]),
    "score": st.sampled_from([float("nan"), float("inf"), float("-inf"), "0.5", True, [], 1j]),
    "origin": st.sampled_from(["", "web", None, 7, True, ["index"]]),
}
_BROKEN = st.one_of(
    broken(_ROWS, _BREAKS),
    broken(_ROWS, {"title": lone_surrogates(), "snippet": lone_surrogates()}),
)
_HOSTILE: st.SearchStrategy[object] = st.one_of(
    _BROKEN,
    _BROKEN.map(_as_struct),
    _BROKEN.map(MappingProxyType),
    without(_ROWS, "url", "title"),
    broken(_ROWS, {7: st.just("a field without a name")}),
    exceptions().map(RaisingMapping),
    st.sampled_from([None, 7, "row", b"row", [], (), {}, object(), ["title", "url"], {1, 2}]),
    st.builds(LooseRow),
    st.builds(lambda: (part for part in ("title", "url"))),
)
