import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from returns.result import Failure, Result, Success

from webseam.composition.features.testing.strategies import hostile as evil
from webseam.kernel import WebDeps, check_query, parse_target, web_extract, web_search
from webseam.ports import (
    Compressor,
    InvalidDocument,
    InvalidRow,
    UntrustedRow,
    WebBackend,
    WebError,
    WebSearchQuery,
)
from webseam.testing import FakeBackend, strategies

URL = "https://example.com/page?q=1#part"

# The laws themselves are tried harder, in properties/.
quickly = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


@quickly
@given(strategies.urls())
def test_every_url_is_accepted(url: str) -> None:
    assert parse_target(url).unwrap().asked == url


@quickly
@given(strategies.hostile_urls())
def test_every_hostile_url_is_refused(url: object) -> None:
    assert isinstance(parse_target(url), Failure)


@quickly
@given(strategies.queries())
def test_every_query_is_accepted(query: dict[str, object]) -> None:
    assert isinstance(check_query(query), Success)


@quickly
@given(strategies.search_queries())
def test_every_search_query_is_already_checked_and_clamped(query: WebSearchQuery) -> None:
    assert check_query(query) == Success(query)
    assert query.max_results is None or 1 <= query.max_results <= 100


@quickly
@given(strategies.hostile_queries())
def test_every_hostile_query_is_refused(query: object) -> None:
    assert isinstance(check_query(query), Failure)


@quickly
@given(strategies.disguised_rows())
def test_every_row_keeps_the_row_law_in_any_dress(row: UntrustedRow) -> None:
    outcome = asyncio.run(web_search({"query": "q"}, WebDeps(backend=FakeBackend([row]))))

    assert len(outcome.unwrap().rows) == 1


@quickly
@given(strategies.hostile_rows())
def test_every_hostile_row_breaks_the_row_law(row: object) -> None:
    outcome = asyncio.run(web_search({"query": "q"}, WebDeps(backend=FakeBackend([row]))))

    assert isinstance(outcome.failure(), InvalidRow)


@quickly
@given(strategies.documents(URL))
def test_every_document_keeps_the_document_law(page: dict[str, object]) -> None:
    result = asyncio.run(web_extract(URL, WebDeps(backend=FakeBackend(document=page))))

    assert isinstance(result, Success)


@quickly
@given(st.data(), strategies.public_urls())
def test_every_hostile_document_breaks_the_document_law(data: st.DataObject, url: str) -> None:
    page = data.draw(strategies.hostile_documents(url))

    result = asyncio.run(web_extract(url, WebDeps(backend=FakeBackend(extract=Success(page)))))

    assert isinstance(result.failure(), InvalidDocument)


@quickly
@given(strategies.errors())
def test_every_error_is_one_of_the_union_and_has_a_sentence(error: WebError) -> None:
    assert type(error) in get_args(WebError)
    assert error.message


@quickly
@given(strategies.hostile_backends())
def test_a_hostile_backend_ends_in_a_failure_and_never_in_an_exception(
    backend: WebBackend,
) -> None:
    deps = WebDeps(backend=backend)

    outcome: Result[object, WebError] = asyncio.run(web_search({"query": "q"}, deps))
    page: Result[object, WebError] = asyncio.run(web_extract(URL, deps))

    assert type(outcome.failure()) in get_args(WebError)
    assert type(page.failure()) in get_args(WebError)


@quickly
@given(strategies.hostile_compressors())
def test_a_hostile_compressor_ends_in_a_failure_and_never_in_an_exception(
    compressor: Compressor,
) -> None:
    deps = WebDeps(backend=FakeBackend(document="x" * 5000), compressor=compressor)

    page = asyncio.run(web_extract(URL, deps))

    assert type(page.failure()) in get_args(WebError)


def test_lying_text_is_text_and_tells_no_truth() -> None:
    text = evil.LyingText("https://example.com/")

    assert isinstance(text, str)
    assert (str(text), len(text), text == "other", "https" in text) == (
        "javascript:alert(1)",
        1,
        True,
        False,
    )
    assert hash(text) == 0


def test_a_raising_mapping_looks_harmless_until_it_is_read() -> None:
    mapping = evil.RaisingMapping(ValueError("read"))

    assert (len(mapping), list(mapping)) == (2, ["url", "title"])
    with pytest.raises(ValueError, match="read"):
        dict(mapping)


@pytest.mark.parametrize("look", [str, repr, lambda error: error.__traceback__])
def test_a_secretive_error_raises_when_it_is_looked_at(look: Callable[[object], object]) -> None:
    with pytest.raises(RuntimeError):
        look(evil.SecretiveError())


def test_an_impostor_is_what_it_claims_and_gives_nothing() -> None:
    impostor: object = evil.Impostor(Success, ValueError("no"))

    assert isinstance(impostor, Success)
    with pytest.raises(ValueError, match="no"):
        impostor.unwrap()
    with pytest.raises(ValueError, match="no"):
        impostor.failure()


def test_without_hypothesis_the_import_names_the_extra_to_install() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; from webseam.testing import strategies"

    tried = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert "pip install 'webseam[testing]'" in tried.stderr


@pytest.mark.parametrize("name", strategies.__all__)
def test_every_public_strategy_says_what_it_gives(name: str) -> None:
    assert getattr(strategies, name).__doc__.startswith("Give ")
