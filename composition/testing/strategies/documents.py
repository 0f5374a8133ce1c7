"""Pages that keep the document law, and pages that break it."""

import functools
from types import MappingProxyType

from hypothesis import strategies as st

from .breaking import broken, without
from .evil import LoosePage, LyingText, RaisingMapping
from .exceptions import exceptions
from .json_values import json_values
from .urls import hostile_urls, urls


@functools.lru_cache(maxsize=64)
def documents(url: str) -> st.SearchStrategy[dict[str, object]]:
    """Give pages for ``url`` that keep the document law."""
    return st.fixed_dictionaries({"url": st.just(url), **_REQUIRED}, optional=_OPTIONAL)


@functools.lru_cache(maxsize=64)
def hostile_documents(url: str) -> st.SearchStrategy[object]:
    """Give pages of which each breaks the law: malformed, or for another URL than ``url``."""
    spoiled = broken(documents(url), _BREAKS)
    return st.one_of(
        spoiled,
        spoiled.map(_as_struct),
        spoiled.map(MappingProxyType),
        documents(f"https://another.{len(url)}.example/"),
        without(documents(url), "url", "content"),
        exceptions().map(RaisingMapping),
        st.sampled_from([None, 7, "page", b"page", [], {}, object()]),
    )


def _as_struct(page: dict[str, object]) -> LoosePage:
    return LoosePage(**page)


_TEXTS = st.text(max_size=100)
_REQUIRED: dict[str, st.SearchStrategy[object]] = {"content": _TEXTS}
_OPTIONAL: dict[str, st.SearchStrategy[object]] = {
    "title": st.text(max_size=40),
    "final_url": st.none() | urls(),
    "raw_content": st.none() | _TEXTS,
    "metadata": st.none() | st.dictionaries(st.text(max_size=5), json_values(), max_size=3),
}

_NO_TEXT: tuple[object, ...] = (7, True, b"t", ["t"], {}, "\ud800", LyingText("t"))
_BREAKS: dict[object, st.SearchStrategy[object]] = {
    "url": hostile_urls(),
    "content": st.sampled_from([None, *_NO_TEXT]),
    "title": st.sampled_from([None, *_NO_TEXT]),
    "raw_content": st.sampled_from(_NO_TEXT),
    "final_url": hostile_urls().filter(lambda value: value is not None),
    "metadata": st.sampled_from(
        [7, "m", ["m"], {1: "m"}, {"m": object()}, {"m": "x" * 70_000}, {"m": {1j: 2}}]
    ),
}
