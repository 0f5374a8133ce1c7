"""Extract a page: check the URL, ask, check the document, compress if it pays."""

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import WebError
from ..ports.receipts import ExtractReceipt
from ..ports.web import WebExtractResult
from .answers import as_served, attribute, crashed, name_of, noted, open_answer
from .boundary import attempt_port
from .bounds import bound
from .compress import compress, is_worth_compressing
from .deps import WebDeps
from .documents import Document, check_document
from .policy.judge import judge_remote, judge_url
from .redact import redact_url
from .urls import check_url


async def web_extract(url: object, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    """Read the page at ``url`` through the backend in ``deps``.

    The page must be the one asked for. From ``compress_min_length`` characters on, and only with a
    compressor, ``content`` is its output. Never raises; cancellation passes through.
    """
    checked = check_url(url)
    if isinstance(checked, Failure):
        return checked
    asked = checked.unwrap()
    served = await attempt_port(lambda: _serve(asked, deps))
    if isinstance(served, Failure):
        backend = name_of(getattr(deps, "backend", deps))
        return Failure(crashed(served.failure(), backend, redact_url(asked)))
    return served.unwrap()


async def _serve(asked: str, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    name, mention = name_of(deps.backend), redact_url(asked)
    judge = judge_url if getattr(deps.backend, "embedded", False) is True else judge_remote
    judged = judge(asked, deps.policy)
    if isinstance(judged, Failure):
        return Failure(attribute(judged.failure(), name, mention))
    opened = open_answer(await deps.backend.extract(asked), name, mention)
    if isinstance(opened, Failure):
        return opened
    served = as_served(opened.unwrap())
    checked = check_document(served.answer, asked)
    if isinstance(checked, Failure):
        return Failure(attribute(checked.failure(), name, mention))
    page = _as_result(checked.unwrap(), asked, name)
    receipt = noted(page.receipt, served)
    return await _finish(msgspec.structs.replace(page, receipt=receipt), deps)


async def _finish(page: WebExtractResult, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    shortened = await _compressed(page, deps)
    if isinstance(shortened, Failure) or deps.budget is None:
        return shortened
    return Success(await bound(shortened.unwrap(), deps))


async def _compressed(page: WebExtractResult, deps: WebDeps) -> Result[WebExtractResult, WebError]:
    if not is_worth_compressing(page.content, deps):
        return Success(page)
    compressed = await compress(page.content, deps)
    if isinstance(compressed, Failure):
        return Failure(attribute(compressed.failure(), page.receipt.backend, redact_url(page.url)))
    content = compressed.unwrap()
    receipt = msgspec.structs.replace(
        page.receipt, compressed=True, compressed_characters=len(content)
    )
    return Success(msgspec.structs.replace(page, content=content, receipt=receipt))


def _as_result(document: Document, asked: str, name: str) -> WebExtractResult:
    final_url = document.final_url or asked
    raw = document.content if document.raw_content is None else document.raw_content
    return WebExtractResult(
        url=asked,
        final_url=final_url,
        title=document.title,
        content=document.content,
        raw_content=raw,
        metadata=document.metadata or {},
        receipt=ExtractReceipt(
            backend=name,
            url=redact_url(asked),
            final_url=redact_url(final_url),
            characters=len(document.content),
            compressed=False,
            compressed_characters=None,
        ),
    )
