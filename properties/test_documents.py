"""The document law, and when a compressor is asked."""

from hypothesis import example, given, strategies as st
from returns.result import Failure, Success

from webseam.composition.features.testing.strategies import (
    documents,
    hostile_documents,
    public_urls,
    urls,
)
from webseam.kernel import WebDeps, canonical_url
from webseam.ports import InvalidDocument
from webseam.testing import FakeBackend, FakeCompressor

from .ask import URL, extract


@given(document=documents(URL))
def test_a_lawful_page_comes_out_as_it_went_in(document: dict[str, object]) -> None:
    page = extract(WebDeps(backend=FakeBackend(document=document))).unwrap()

    assert (page.url, page.content) == (URL, document["content"])
    assert page.receipt.characters == len(page.content)
    assert not page.receipt.compressed


@given(document=hostile_documents(URL))
def test_an_unlawful_page_fails_the_call_and_names_the_field(document: object) -> None:
    failure = extract(
        WebDeps(backend=FakeBackend(extract=lambda _url: Success(document)))
    ).failure()

    assert isinstance(failure, InvalidDocument)
    assert failure.field
    assert failure.url == URL


@given(asked=public_urls(), answered=public_urls())
def test_the_page_is_for_the_url_that_was_asked_or_it_fails(asked: str, answered: str) -> None:
    backend = FakeBackend(document={"url": answered, "content": "x"})

    page = extract(WebDeps(backend=backend), asked)

    same = canonical_url(asked) == canonical_url(answered)
    assert isinstance(page, Failure) != same
    assert isinstance(page, Failure) or page.unwrap().url == asked


@given(length=st.integers(0, 60), floor=st.integers(0, 60))
@example(length=0, floor=0)
def test_the_compressor_is_asked_exactly_from_the_floor_on(length: int, floor: int) -> None:
    compressor = FakeCompressor("c")
    deps = WebDeps(
        backend=FakeBackend(document={"url": URL, "content": "x" * length}),
        compressor=compressor,
        compress_min_length=floor,
    )

    page = extract(deps)

    assert len(compressor.calls) == (1 if length >= floor else 0)
    if not isinstance(page, Failure):
        assert page.unwrap().receipt.compressed == (length >= floor)


@given(url=urls())
def test_canonical_urls_are_idempotent(url: str) -> None:
    once = canonical_url(url)

    assert canonical_url(once) == once
