"""Any JSON value."""

from hypothesis import strategies as st


def json_values() -> st.SearchStrategy[object]:
    """Give any value that JSON can write, with the keys that services use among the others."""
    return _VALUES


def _containers(inside: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inside, max_size=5) | st.dictionaries(_KEYS, inside, max_size=6)


_KEYS = st.text(max_size=5) | st.sampled_from(
    ["results", "error", "message", "url", "title", "description", "snippet", "content", "score"]
)
_LEAVES: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.sampled_from(["https://example.com/", "javascript:alert(1)", ""]),
)
_VALUES = st.recursive(_LEAVES, _containers, max_leaves=20)
