"""Extract a page: check the URL, ask the backend, check the document, compress it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import BackendAbout, ReadsMany
from webseam.ports.errors import CompressorFailed, UrlDenied, WebError
from webseam.ports.models import Compressed, Compressor
from webseam.ports.pages import PageReading
from webseam.ports.receipts import ExtractReceipt, Usage
from webseam.ports.targets import Target
from webseam.ports.web import WebExtractResult

from .boundary import Crash, attempt_call, attempt_port, rebuild_value
from .deps import WebDeps, await_backend, deps_backend, seen_session
from .laws.field_checks import (
    DOCUMENT_FIELDS,
    ReadDocument,
    read_document,
    refuse_field,
)
from .laws.unread import unread_warnings
from .pages.page_budget import keep_page, trim_page_to_budget
from .pages.page_record import plain_page, whole_page
from .policy.judge import judge_domain, judge_remote, judge_target
from .policy.policy_rules import Policy
from .port_answers import (
    answer_time,
    backend_about,
    multi_page_backend,
    note_served,
    open_port_answer,
    port_crash,
    port_error,
    port_name,
    served_answer,
)
from .text.display import is_plain_text, is_text, plain_text, quote_value
from .text.redaction import redact_url, unread_names
from .urls.url_parsing import parse_target


async def compress_page(
    content: str, compressor: Compressor, instruction: str
) -> Result[Compressed, WebError]:
    """Return a shorter text, or a failure; an empty or longer text is a failure too."""
    answered = await attempt_port(lambda: compressor(content, instruction))
    if isinstance(answered, Failure):
        crash = answered.failure()
        detail = f"{crash.error} at {crash.where}" if crash.where else crash.error
        return _compressor_failure("the compressor crashed", detail)
    answer = answered.unwrap()
    if isinstance(answer, Failure):
        return Failure(port_error(answer.failure(), port_name(compressor), None))
    if not isinstance(answer, Success):
        return _compressor_failure("the compressor did not return a Result")
    return _check_compressor_answer(answer.unwrap(), content)


def _check_compressor_answer(answer: object, content: str) -> Result[Compressed, WebError]:
    compressed = answer if isinstance(answer, Compressed) else None
    text = answer if compressed is None else compressed.text
    text = plain_text(text) if is_text(text) else None
    if text is None or not is_plain_text(text):
        return _compressor_failure("the compressor did not return text")
    if not text.strip():
        return _compressor_failure("the compressor returned nothing")
    if len(text) > len(content):
        return _compressor_failure("the compressor returned more than it was given")
    if compressed is None:
        return Success(Compressed(text=text))
    # A compressor may return anything, so drop an invalid usage and invalid attempts.
    usage = rebuild_value(compressed.usage, Usage).value_or(None)
    attempts = rebuild_value(compressed.attempts, tuple[BackendAttempt, ...]).value_or(())
    return Success(Compressed(text=text, usage=usage, attempts=attempts))


def _compressor_failure(reason: str, detail: str = "") -> Failure[WebError]:
    return Failure(CompressorFailed(reason=reason, detail=detail))


async def web_extract(url: object, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    """Read the page at ``url`` through the backend in ``deps``.

    The page must be the requested one. With a compressor, and from ``compress_min_length``
    characters on, ``content`` is the compressed text. Never raises; cancellation passes through.
    """
    parsed = parse_target(url)
    if isinstance(parsed, Failure):
        return parsed
    target = parsed.unwrap()
    served = await attempt_port(lambda: _read_target(target, deps))
    if isinstance(served, Failure):
        backend = backend_about(deps_backend(deps)).name
        return Failure(port_crash(served.failure(), backend, redact_url(target.asked)))
    return served.unwrap()


async def web_extract_many(
    urls: Sequence[object], deps: WebDeps
) -> tuple[Result[WebExtractResult, WebError], ...]:
    """Read pages in one call if the backend can, else one by one; one outcome for each URL.

    Each outcome equals that of ``web_extract`` for the URL alone. Never raises; cancellation passes
    through.
    """
    listed = attempt_call(lambda: list(urls)).value_or(None)
    if listed is None:
        return (refuse_field("urls", f"must be a list of URLs, got {quote_value(urls)}"),)
    served = await attempt_port(lambda: _read_many(listed, deps))
    if isinstance(served, Failure):
        backend = backend_about(deps_backend(deps)).name
        return tuple(Failure(port_crash(served.failure(), backend, None)) for _ in listed)
    return served.unwrap()


async def _read_many(
    urls: Sequence[object], deps: WebDeps
) -> tuple[Result[WebExtractResult, WebError], ...]:
    about = backend_about(deps.backend)
    reader = multi_page_backend(deps.backend, about)
    if reader is None:
        return tuple([await web_extract(url, deps) for url in urls])
    judged = [admit_extract_url(url, about, deps) for url in urls]
    admitted = tuple(dict.fromkeys(url.unwrap() for url in judged if isinstance(url, Success)))
    answers = await _request_pages(admitted, reader, deps) if admitted else {}
    return tuple([await _page_outcome(url, answers, deps) for url in judged])


async def _read_target(target: Target, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    judged = _judge_page_target(target, backend_about(deps.backend), deps)
    if isinstance(judged, Failure):
        return judged
    url = judged.unwrap()
    return await _receive_answer(await await_backend(deps.backend.extract(url), deps), url, deps)


def admit_extract_url(url: object, about: BackendAbout, deps: WebDeps) -> Result[str, WebError]:
    """Return the URL that may be requested for ``url``, or the refusal."""
    parsed = parse_target(url)
    if isinstance(parsed, Failure):
        return parsed
    return _judge_page_target(parsed.unwrap(), about, deps)


def _judge_page_target(target: Target, about: BackendAbout, deps: WebDeps) -> Result[str, WebError]:
    """Return the URL that may be requested, as the caller wrote it, or the refusal.

    A session that follows only what it saw requests the URL as it was written there.
    """
    judge = judge_target if about.embedded else judge_remote
    judged: Result[Target, WebError] = judge(target, deps.policy)
    memory = seen_session(deps)
    spelling: Result[str, WebError] = (
        judged.map(lambda target: target.asked)
        if memory is None
        else judged.bind(memory.urls.judge)
    )
    return spelling.alt(lambda error: port_error(error, about.name, redact_url(target.asked)))


async def _request_pages(
    urls: tuple[str, ...], reader: ReadsMany, deps: WebDeps
) -> dict[str, Result[object, Crash]]:
    """Request all pages at once; a wrong number of answers fails every page."""
    answered = await attempt_port(lambda: _page_answers(reader, urls, deps))
    if isinstance(answered, Failure):
        return dict.fromkeys(urls, answered)
    answers = answered.unwrap()
    if len(answers) == len(urls):
        return dict(zip(urls, map(Success, answers), strict=True))
    mismatch = f"returned {len(answers)} outcomes for {len(urls)} pages"
    return dict.fromkeys(urls, Failure(Crash(error=mismatch, where="")))


async def _page_answers(reader: ReadsMany, urls: tuple[str, ...], deps: WebDeps) -> list[object]:
    answers = await await_backend(reader.extract_many(urls), deps)
    if isinstance(answers, Failure):
        return [answers] * len(urls)
    return list(islice(answers, len(urls) + 1)) if isinstance(answers, Iterable) else []


async def _page_outcome(
    url: Result[str, WebError], answers: Mapping[str, Result[object, Crash]], deps: WebDeps
) -> Result[WebExtractResult, WebError]:
    if isinstance(url, Failure):
        return url
    address = url.unwrap()
    answer = answers[address]
    received = (
        answer
        if isinstance(answer, Failure)
        else await attempt_port(lambda: _receive_answer(answer.unwrap(), address, deps))
    )
    if not isinstance(received, Failure):
        return received.unwrap()
    name = backend_about(deps.backend).name
    return Failure(port_crash(received.failure(), name, redact_url(address)))


async def _receive_answer(
    answer: object, url: str, deps: WebDeps
) -> Result[WebExtractResult, WebError]:
    """Check a backend's answer for one page, and finish it."""
    name, shown_url = backend_about(deps.backend).name, redact_url(url)
    opened = open_port_answer(answer, name, shown_url)
    if isinstance(opened, Failure):
        return opened
    served = served_answer(opened.unwrap())
    received = receive_page(served.answer, url, name, deps.policy, served.unread)
    if isinstance(received, Failure):
        return received
    page = whole_page(received.unwrap(), served.reading or PageReading())
    receipt = note_served(page.receipt, served)
    page = replace(page, receipt=replace(receipt, **answer_time(receipt, deps.now)))
    memory = seen_session(deps)
    if memory is not None:
        memory.note_page(page)
    shortened = await _shorten_page(page, deps)
    if isinstance(shortened, Failure):
        return shortened
    shown = shortened.unwrap()
    if deps.budget is not None:
        shown = await trim_page_to_budget(shown, deps)
    kept = await keep_page(page, shown, deps.texts)
    return Success(kept if deps.keeps_parts else plain_page(kept))


def receive_page(
    document: object, url: str, name: str, policy: Policy, unread: tuple[str, ...] = ()
) -> Result[WebExtractResult, WebError]:
    """Check a document of the backend, or the plugin, ``name`` by the document law and policy.

    ``unread`` names what the backend did not return of it.
    """
    read = read_document(document, url)
    if isinstance(read, Failure):
        return Failure(port_error(read.failure(), name, redact_url(url)))
    denied = judge_final_url(read.unwrap().document.final_url, policy)
    if denied is not None:
        return Failure(port_error(denied, name, redact_url(url)))
    return Success(_make_result(read.unwrap(), url, name, unread))


def judge_final_url(url: str | None, policy: Policy) -> WebError | None:
    """Return the refusal of the URL that a page led to by the user's domain lists, or None."""
    lists = policy.deny_domains or policy.allow_domains
    refusal = judge_domain(url, policy) if lists and url else None
    return replace(refusal, hop=1) if isinstance(refusal, UrlDenied) else refusal


async def _shorten_page(
    page: WebExtractResult, deps: WebDeps
) -> Result[WebExtractResult, WebError]:
    if deps.compressor is None or len(page.content) < deps.compress_min_length:
        return Success(page)
    compressed = await compress_page(page.content, deps.compressor, deps.instruction)
    if isinstance(compressed, Failure):
        return Failure(port_error(compressed.failure(), page.receipt.backend, redact_url(page.url)))
    content = compressed.unwrap().text
    receipt = replace(
        page.receipt,
        compressed=True,
        compressed_characters=len(content),
        compressor_usage=compressed.unwrap().usage,
        compressor_attempts=compressed.unwrap().attempts,
    )
    return Success(replace(page, content=content, receipt=receipt))


def _make_result(
    read: ReadDocument, url: str, name: str, left_out: tuple[str, ...]
) -> WebExtractResult:
    document = read.document
    final_url = document.final_url or url
    raw = document.content if document.raw_content is None else document.raw_content
    unread = unread_names((*read.unread, *left_out))
    present = [field for field in DOCUMENT_FIELDS if getattr(document, field)]
    return WebExtractResult(
        url=url,
        final_url=final_url,
        title=document.title,
        content=document.content,
        raw_content=raw,
        metadata=document.metadata or {},
        receipt=ExtractReceipt(
            backend=name,
            url=redact_url(url),
            final_url=redact_url(final_url),
            characters=len(document.content),
            compressed=False,
            compressed_characters=None,
            raw=document.raw_content is not None,
            warnings=unread_warnings(unread, DOCUMENT_FIELDS, present),
            unread=unread,
        ),
    )
