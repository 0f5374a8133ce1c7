"""Many pages in one call: one outcome for each URL, whatever the backend does."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from returns.result import Failure, Result, Success

from webseam.kernel import Policy, WebDeps, web_extract_many
from webseam.ports import (
    BackendAbout,
    BackendCrashed,
    InvalidDocument,
    InvalidUrl,
    Missing,
    UrlDenied,
    WebError,
    WebExtractResult,
)
from webseam.testing import FakeBackend

A, B, C = (f"https://{name}.example/" for name in "abc")


class Batch(FakeBackend):
    """A backend that takes many pages at once, and answers as it is told."""

    def __init__(self, answer: Callable[[Sequence[str]], object]) -> None:
        super().__init__(name="batch")
        self.about = BackendAbout(name="batch", batch=5)
        self.asked: list[tuple[str, ...]] = []
        self._answer = answer

    async def extract_many(self, urls: Sequence[str], /) -> object:
        self.asked.append(tuple(urls))
        return self._answer(urls)


def pages(urls: Sequence[str]) -> list[object]:
    return [Success({"url": url, "content": f"text of {url}"}) for url in urls]


def read(
    backend: FakeBackend, *urls: object, policy: Policy | None = None
) -> tuple[Result[WebExtractResult, WebError], ...]:
    deps = WebDeps(backend=backend, policy=policy or Policy())
    return asyncio.run(web_extract_many(urls, deps))


def test_a_batch_is_one_call_and_gives_each_page_in_order() -> None:
    backend = Batch(pages)

    result = read(backend, A, B, A)

    assert [page.unwrap().content for page in result] == [f"text of {url}" for url in (A, B, A)]
    assert backend.asked == [(A, B)]


def test_urls_that_may_not_be_asked_for_are_never_sent() -> None:
    backend = Batch(pages)

    result = read(
        backend, "nonsense", A, "http://10.0.0.1/", B, policy=Policy(deny_domains=("b.example",))
    )

    assert backend.asked == [(A,)]
    kinds = [type(page.failure()) if isinstance(page, Failure) else None for page in result]
    assert kinds == [InvalidUrl, None, UrlDenied, UrlDenied]


def test_no_page_is_asked_for_when_none_may_be() -> None:
    backend = Batch(pages)

    read(backend, "nonsense")

    assert backend.asked == []


def test_each_page_fails_on_its_own() -> None:
    def answer(urls: Sequence[str]) -> object:
        wrong = Success({"url": "https://elsewhere.example/", "content": "x"})
        return [Failure(Missing()), wrong, *pages(urls[2:])]

    result = read(Batch(answer), A, B, C)

    assert result[0] == Failure(Missing(backend="batch", url=A))
    assert isinstance(result[1].failure(), InvalidDocument)
    assert result[2].unwrap().url == C


def _raise(_urls: Sequence[str]) -> object:
    raise ValueError


@pytest.mark.parametrize(
    "answer",
    [_raise, lambda _: None, lambda _: [], lambda urls: pages(urls) * 2, lambda _: iter([1])],
)
def test_an_answer_that_is_not_one_for_each_fails_them_all(
    answer: Callable[[Sequence[str]], object],
) -> None:
    result = read(Batch(answer), A, B)

    assert [type(page.failure()) for page in result] == [BackendCrashed, BackendCrashed]
    assert [page.failure().url for page in result] == [A, B]


def test_a_backend_without_batches_is_asked_page_by_page() -> None:
    backend = FakeBackend(document="text")

    result = read(backend, A, "nonsense", B)

    assert backend.extracted == [A, B]
    assert [isinstance(page, Success) for page in result] == [True, False, True]


def test_missing_dependencies_fail_each_page() -> None:
    result = asyncio.run(web_extract_many([A, B], None))  # type: ignore[arg-type]

    assert [type(page.failure()) for page in result] == [BackendCrashed, BackendCrashed]
