"""Whatever comes in and whatever is on the other side: a Result, and never an exception."""

import msgspec
from hypothesis import given, strategies as st
from returns.result import Failure

from properties.soundness import assert_sound
from webseam.composition.features.testing.strategies import (
    hostile_backends,
    hostile_compressors,
    hostile_queries,
    hostile_urls,
    queries,
    urls,
)
from webseam.kernel import WebDeps, extract_envelope, search_envelope
from webseam.ports import Compressor, WebBackend
from webseam.testing import FakeBackend

from .ask import URL, extract, search


@given(
    backend=hostile_backends(),
    query=queries() | hostile_queries(),
    rows=st.sampled_from(["strict", "quarantine"]),
)
def test_a_search_answers_any_query_over_any_backend_with_a_result(
    backend: WebBackend, query: object, rows: object
) -> None:
    outcome = search(WebDeps(backend=backend, rows=rows), query)  # type: ignore[arg-type]  # drawn from the two

    assert_sound(outcome)
    assert msgspec.json.encode(search_envelope(outcome))


@given(
    backend=hostile_backends(),
    url=urls() | hostile_urls(),
    compressor=st.none() | hostile_compressors(),
)
def test_an_extract_answers_any_url_over_any_backend_with_a_result(
    backend: WebBackend, url: object, compressor: Compressor | None
) -> None:
    deps = WebDeps(backend=backend, compressor=compressor, compress_min_length=0)

    page = extract(deps, url)

    assert_sound(page)
    assert msgspec.json.encode(extract_envelope(["u"], [page]))


@given(compressor=hostile_compressors(), content=st.text())
def test_a_page_is_compressed_or_fails_whatever_the_compressor_does(
    compressor: Compressor, content: str
) -> None:
    deps = WebDeps(
        backend=FakeBackend(document={"url": URL, "content": content}),
        compressor=compressor,
        compress_min_length=0,
    )

    page = extract(deps)

    assert_sound(page)
    assert isinstance(page, Failure) or 0 < len(page.unwrap().content) <= len(content)


@given(query=hostile_queries())
def test_a_refused_query_never_reaches_the_backend(query: object) -> None:
    backend = FakeBackend()

    outcome = search(WebDeps(backend=backend), query)

    assert len(backend.searched) == (0 if isinstance(outcome, Failure) else 1)
