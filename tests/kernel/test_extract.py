"""Extracting: the right page, whole and typed, or a failure."""

import asyncio
from typing import Any

import msgspec
import pytest
from returns.result import Failure, Result, Success

from webseam.composition.features.testing.strategies.hostile import LyingText
from webseam.kernel import WebDeps, web_extract
from webseam.kernel.deps import COMPRESS_INSTRUCTION
from webseam.kernel.policy import PolicySettings, make_policy
from webseam.ports import (
    BackendAbout,
    BackendCrashed,
    Compressed,
    CompressorFailed,
    ExtractReceipt,
    InvalidDocument,
    InvalidUrl,
    PageAnswer,
    RateLimited,
    UrlDenied,
    WebBackend,
    WebError,
    WebExtractResult,
)
from webseam.ports.attempts import BackendAttempt
from webseam.ports.receipts import Usage
from webseam.testing import FakeBackend, FakeCompressor

from .ask import URL, extract

PAGE: dict[str, object] = {"url": URL, "content": "text"}
NAMELESS = dict([*PAGE.items(), (5, 5)])
ATTEMPT = BackendAttempt(backend="a", outcome="answered")
NOT_A_URL = "is not an absolute http or https URL, got "


def extract_compressed(
    content: str, compressor: object, floor: int | None = None
) -> Result[WebExtractResult, WebError]:
    deps = WebDeps(backend=FakeBackend(document=content), compressor=compressor)  # type: ignore[arg-type]  # hostile ones too
    if floor is not None:
        deps = msgspec.structs.replace(deps, compress_min_length=floor)
    return asyncio.run(web_extract(URL, deps))


def test_a_page_comes_out_whole_with_its_receipt() -> None:
    document = {
        **PAGE,
        "title": "T",
        "final_url": "https://b.example/?token=abc",
        "raw_content": "<p>text",
        "metadata": {"author": "x", "n": [1, None]},
    }

    page = extract(FakeBackend(document=document))

    assert page == Success(
        WebExtractResult(
            url=URL,
            final_url="https://b.example/?token=abc",
            title="T",
            content="text",
            raw_content="<p>text",
            metadata={"author": "x", "n": [1, None]},
            receipt=ExtractReceipt(
                backend="fake",
                url=URL,
                final_url="https://b.example/?token=***",
                characters=4,
                compressed=False,
                compressed_characters=None,
                raw=True,
            ),
        )
    )


def test_fields_missing_from_a_page_have_defaults() -> None:
    page = extract(FakeBackend(document=PAGE)).unwrap()

    assert (page.title, page.final_url, page.raw_content, page.metadata) == ("", URL, "text", {})


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (None, "expected text, got a value of type NoneType"),
        (b"https://a.example/", "expected text, got a value of type bytes"),
        ("", "it is blank"),
        (" ", "it is blank"),
        ("a.example", "it has no scheme; write it with https:// in front"),
        ("javascript:alert(1)", "only http and https are fetched"),
        ("FILE:///etc/passwd", "only http and https are fetched"),
        ("https://", "it has no host"),
        ("https:///path", "it has no host"),
        ("https:a.example", "it has no host"),
        ("https://u:p@a.example/", "it carries a user name or a password"),
        ("https://a.example/ b", "it has a blank or a control character; write it percent-encoded"),
        ("https://a.example:99999/", "its port is not valid"),
        ("https://[::1/", "its IPv6 address is not valid"),
        ("https://a.example/" + "x" * 8192, "it is longer than 8192 characters"),
    ],
)
def test_a_url_that_cannot_be_used_never_reaches_the_backend(url: object, reason: str) -> None:
    backend = FakeBackend(document=PAGE)

    failure = extract(backend, url).failure()

    assert isinstance(failure, InvalidUrl | UrlDenied)
    assert failure.reason == reason
    assert backend.extracted == []


def test_an_error_never_repeats_a_password_from_the_url() -> None:
    failure = extract(FakeBackend(), "https://user:hunter2@a.example/").failure()

    assert failure.url == "https://***@a.example/"
    assert "hunter2" not in repr(failure)


def test_the_backend_gets_the_url_as_it_was_asked() -> None:
    backend = FakeBackend(document=PAGE)

    extract(backend)

    assert backend.extracted == [URL]


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://A.EXAMPLE/page",
        "https://a.example:443/page",
        f"{URL}#part",
        "https://a.example/%70age",
    ],
)
def test_the_same_page_under_another_spelling_is_accepted(url: str) -> None:
    assert extract(FakeBackend(document={**PAGE, "url": url})).unwrap().url == URL


@pytest.mark.parametrize(
    ("document", "field", "reason"),
    [
        ({"content": "x"}, "url", "is missing"),
        ({"url": URL}, "content", "is missing"),
        (
            {**PAGE, "url": "https://a.example/other"},
            "url",
            "is for another page, 'https://a.example/other'",
        ),
        (
            {**PAGE, "url": "http://a.example/page"},
            "url",
            "is for another page, 'http://a.example/page'",
        ),
        ({**PAGE, "url": "javascript:x"}, "url", f"{NOT_A_URL}'javascript:x'"),
        ({**PAGE, "url": "https://[:::]/"}, "url", f"{NOT_A_URL}'https://[:::]/'"),
        ({**PAGE, "final_url": "file:///x"}, "final_url", f"{NOT_A_URL}'file:///x'"),
        ({**PAGE, "final_url": "https://[:::]/"}, "final_url", f"{NOT_A_URL}'https://[:::]/'"),
        (
            {**PAGE, "content": None},
            "content",
            "must be text, got a value of type NoneType",
        ),
        ({**PAGE, "content": "\ud800"}, "content", "is not valid Unicode text"),
        ({**PAGE, "title": "\ud800"}, "title", "is not valid Unicode text"),
        ({**PAGE, "raw_content": "\ud800"}, "raw_content", "is not valid Unicode text"),
        ({**PAGE, "title": 5}, "title", "must be text, got 5"),
        (
            {**PAGE, "metadata": []},
            "metadata",
            "must be an object, got a value of type list",
        ),
        ({**PAGE, "metadata": {"x": ...}}, "metadata", "holds what JSON cannot"),
        ({**PAGE, "metadata": {"x": "y" * 65_536}}, "metadata", "is larger than 65536 bytes"),
        (NAMELESS, "?", "has a field named by 5"),
        ([PAGE], "document", "expected an object, got a value of type list"),
        (5, "document", "expected an object, got 5"),
    ],
    ids=str,
)
def test_a_document_that_breaks_the_law_fails_the_call(
    document: object, field: str, reason: str
) -> None:
    failure = extract(FakeBackend(extract=Success(document))).failure()

    assert failure == InvalidDocument(backend="fake", url=URL, field=field, reason=reason)


@pytest.mark.parametrize("field", ["url", "final_url", "title", "content", "raw_content"])
def test_subclass_of_str_in_a_page_is_the_text_that_it_is(field: str) -> None:
    page = extract(FakeBackend(document={**PAGE, field: LyingText(URL)})).unwrap()

    value = getattr(page, field)
    assert (type(value), value) == (str, URL)


def test_subclass_of_str_in_metadata_is_the_text_that_it_is() -> None:
    metadata = {LyingText("a"): [LyingText("b")]}
    page = extract(FakeBackend(document={**PAGE, "metadata": metadata})).unwrap()

    assert page.metadata == {"a": ["b"]}


def test_metadata_of_exactly_the_limit_passes() -> None:
    metadata = {"x": "y" * (65_536 - len('{"x":""}'))}

    assert (
        extract(FakeBackend(document={**PAGE, "metadata": metadata})).unwrap().metadata == metadata
    )


def test_metadata_is_a_copy_that_the_backend_cannot_change_later() -> None:
    metadata = {"a": ["b"]}
    page = extract(FakeBackend(document={**PAGE, "metadata": metadata})).unwrap()

    metadata["a"].append("c")

    assert page.metadata == {"a": ["b"]}


def test_a_backends_failure_carries_its_name_and_a_url_without_secrets() -> None:
    backend = FakeBackend(extract=Failure(RateLimited()), embedded=True)

    failure = extract(backend, "https://a.example/?token=abc").failure()

    assert failure == RateLimited(backend="fake", url="https://a.example/?token=***")


def test_a_page_the_policy_denies_is_never_asked_for() -> None:
    backend = FakeBackend(document="x", embedded=True)

    failure = extract(backend, "http://10.0.0.1/").failure()

    assert failure == UrlDenied(
        backend="fake",
        url="http://10.0.0.1/",
        rule="private",
        stage="address",
        setting="policy.allow_private: [10.0.0.1/32:80]",
    )
    assert backend.extracted == []


@pytest.mark.parametrize("embedded", [False, None, 1, "yes"])
def test_a_third_party_is_never_told_of_a_url_that_carries_credentials(embedded: object) -> None:
    backend = FakeBackend(document="x")
    backend.about = BackendAbout(embedded=embedded)  # type: ignore[arg-type]  # only True says so

    failure = extract(backend, "https://a.example/?token=abc").failure()

    assert isinstance(failure, UrlDenied)
    assert (failure.rule, failure.setting) == ("credentials", "policy.allow_credential_urls: true")
    assert "abc" not in repr(failure)
    assert backend.extracted == []


@pytest.mark.parametrize(
    ("lists", "found_at", "rule"),
    [
        (
            PolicySettings(deny_domains=("bad.example",)),
            "https://www.bad.example/x",
            "denied_domain",
        ),
        (PolicySettings(allow_domains=("a.example",)), "https://b.example/", "unlisted_domain"),
        (PolicySettings(deny_domains=("bad.example",)), "https://b.example/", None),
        (PolicySettings(allow_domains=("a.example",)), "https://www.a.example/", None),
        (PolicySettings(allow_domains=("a.example",)), None, None),
    ],
)
def test_the_lists_of_domains_also_hold_where_a_page_was_found(
    lists: PolicySettings, found_at: str | None, rule: str | None
) -> None:
    page = {"url": URL, "content": "x", "final_url": found_at}
    backend = FakeBackend(document=page)
    deps = WebDeps(backend=backend, policy=make_policy(lists).unwrap())

    outcome = asyncio.run(web_extract(URL, deps))

    if rule is None:
        assert outcome.unwrap().final_url == (found_at or URL)
    else:
        denied = outcome.failure()
        assert isinstance(denied, UrlDenied)
        assert (denied.rule, denied.hop) == (rule, 1)


def test_the_policy_in_the_deps_decides() -> None:
    policy = make_policy(PolicySettings(allow_private=("10.0.0.0/8",))).unwrap()
    deps = WebDeps(backend=FakeBackend(document="x"), policy=policy)

    assert asyncio.run(web_extract("http://10.0.0.1/", deps)).unwrap().content == "x"


def test_a_crash_carries_a_url_without_secrets() -> None:
    failure = extract(
        FakeBackend(raises=ValueError, embedded=True), "https://a.example/?token=abc"
    ).failure()

    assert isinstance(failure, BackendCrashed)
    assert (failure.backend, failure.url, failure.error) == (
        "fake",
        "https://a.example/?token=***",
        "ValueError",
    )


def test_a_return_that_is_no_result_is_a_crash() -> None:
    failure = extract(FakeBackend(extract=lambda _url: PAGE)).failure()

    assert failure == BackendCrashed(backend="fake", url=URL, error="returned dict, not a Result")


def test_deps_without_a_backend_are_a_crash_and_not_an_exception() -> None:
    failure = asyncio.run(web_extract(URL, None)).failure()  # type: ignore[arg-type]  # the point

    assert isinstance(failure, BackendCrashed)
    assert failure.backend == "NoneType"


@pytest.mark.parametrize("stop", [asyncio.CancelledError, KeyboardInterrupt])
def test_cancellation_passes_through_backend_and_compressor(stop: type[BaseException]) -> None:
    with pytest.raises(stop):
        extract(FakeBackend(raises=stop))
    with pytest.raises(stop):
        extract_compressed("x" * 5000, FakeCompressor(raises=stop))


def test_4999_characters_never_cost_a_model_call_and_5000_do() -> None:
    compressor = FakeCompressor("short")

    below = extract_compressed("x" * 4999, compressor).unwrap()
    calls_below = list(compressor.calls)
    at = extract_compressed("x" * 5000, compressor).unwrap()

    assert calls_below == []
    assert below.content == "x" * 4999
    assert not below.receipt.compressed
    assert compressor.calls == [("x" * 5000, COMPRESS_INSTRUCTION)]
    assert at.content == "short"
    assert at.raw_content == "x" * 5000
    assert (at.receipt.compressed, at.receipt.compressed_characters, at.receipt.characters) == (
        True,
        5,
        5000,
    )


@pytest.mark.parametrize(
    ("usage", "noted"),
    [(Usage(input_tokens=3), Usage(input_tokens=3)), (None, None), ("many", None)],
)
def test_a_compressor_may_say_what_it_used(usage: Any, noted: Usage | None) -> None:  # noqa: ANN401  anything
    answer = Success(Compressed(text="short", usage=usage))

    page = extract_compressed("x" * 5000, FakeCompressor(answer=answer)).unwrap()

    assert (page.content, page.receipt.compressor_usage) == ("short", noted)


@pytest.mark.parametrize(
    ("attempts", "noted"), [((ATTEMPT,), (ATTEMPT,)), ("many", ()), ((5,), ())]
)
def test_a_compressor_may_say_whom_it_asked(
    attempts: Any,  # noqa: ANN401  anything
    noted: tuple[BackendAttempt, ...],
) -> None:
    answer = Success(Compressed(text="short", attempts=attempts))

    page = extract_compressed("x" * 5000, FakeCompressor(answer=answer)).unwrap()

    assert page.receipt.compressor_attempts == noted


def test_without_a_compressor_a_long_page_stays_as_it_is() -> None:
    assert extract(FakeBackend(document="x" * 9000)).unwrap().content == "x" * 9000


def test_the_floor_and_the_instruction_can_be_set() -> None:
    compressor = FakeCompressor("a")
    deps = WebDeps(
        backend=FakeBackend(document="ab"),
        compressor=compressor,
        compress_min_length=2,
        instruction="just the first",
    )

    page = asyncio.run(web_extract(URL, deps)).unwrap()

    assert page.content == "a"
    assert compressor.calls == [("ab", "just the first")]


@pytest.mark.parametrize(
    ("compressor", "reason", "detail"),
    [
        (FakeCompressor(""), "the compressor returned nothing", ""),
        (FakeCompressor(" \n"), "the compressor returned nothing", ""),
        (FakeCompressor("x" * 5001), "the compressor returned more than it was given", ""),
        (FakeCompressor(answer=lambda *_: Success(None)), "the compressor did not return text", ""),
        (
            FakeCompressor(answer=lambda *_: Success("\ud800")),
            "the compressor did not return text",
            "",
        ),
        (FakeCompressor(answer=lambda *_: "text"), "the compressor did not return a Result", ""),
        (FakeCompressor(answer=lambda *_: None), "the compressor did not return a Result", ""),
        (lambda *_: 5, "the compressor crashed", "TypeError at boundary.py:"),
        (
            FakeCompressor(raises=ValueError("sk-1")),
            "the compressor crashed",
            "ValueError at fakes.py:",
        ),
    ],
)
def test_a_compressor_that_fails_in_any_way_fails_the_call(
    compressor: object, reason: str, detail: str
) -> None:
    failure = extract_compressed("x" * 5000, compressor).failure()

    assert isinstance(failure, CompressorFailed)
    assert (failure.backend, failure.url, failure.reason) == ("fake", URL, reason)
    assert failure.detail.startswith(detail)
    assert bool(failure.detail) == bool(detail)
    assert "sk-1" not in repr(failure)


def test_output_as_long_as_the_page_is_accepted() -> None:
    assert extract_compressed("x" * 5000, FakeCompressor("y" * 5000)).unwrap().content == "y" * 5000


def test_a_compressors_typed_failure_comes_out_as_it_is() -> None:
    compressor = FakeCompressor(answer=Failure(RateLimited(retry_after=2.0)))

    failure = extract_compressed("x" * 5000, compressor).failure()

    assert failure == RateLimited(backend="FakeCompressor", url=URL, retry_after=2.0)


def test_a_backend_that_does_not_say_what_it_is_counts_as_a_third_party() -> None:
    class Bare(WebBackend):
        async def extract(self, url: str, /) -> PageAnswer:
            return Success({"url": url, "title": "", "content": "told"})

    refused = extract(Bare(), "https://a.example/?token=abc").failure()

    assert refused.backend == "Bare"
