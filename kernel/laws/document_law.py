"""The document law: an extracted page is whole, typed, and the one that was asked for."""

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidDocument
from ...ports.web import WebUrl
from ..boundary import attempt_call
from ..text.display import is_plain, quote_value
from ..urls.spelling import canonical_url, is_web_url
from .field_checks import first_fault, plain_fields

MAX_METADATA_BYTES = 65_536

_NO_URL = "is not an absolute http or https URL"
_RULES = {
    "url": _NO_URL,
    "content": "must be text",
    "title": "must be text",
    "final_url": _NO_URL,
    "raw_content": "must be text",
    "metadata": "must be an object",
}


class LawfulDocument(msgspec.Struct, frozen=True):
    """The fields of one page, as msgspec checks them."""

    url: WebUrl
    content: str
    title: str = ""
    final_url: WebUrl | None = None
    raw_content: str | None = None
    metadata: dict[str, object] | None = None


def check_document(raw: object, url: str) -> Result[LawfulDocument, InvalidDocument]:
    """Return the page if it keeps the law and is for ``url``."""
    fields = attempt_call(lambda: plain_fields(raw)).value_or(None)
    if not isinstance(fields, dict):
        return _refuse("document", f"expected an object, got {quote_value(raw)}")
    try:
        document = msgspec.convert(fields, LawfulDocument)
    except msgspec.ValidationError:
        fault = first_fault(fields, LawfulDocument, _RULES)
        return _refuse(fault.field, fault.reason)
    return _check_together(document, url)


def _check_together(
    document: LawfulDocument, asked: str
) -> Result[LawfulDocument, InvalidDocument]:
    for field in ("title", "content", "raw_content"):
        if not is_plain(getattr(document, field) or ""):
            return _refuse(field, "is not valid Unicode text")
    for field in ("url", "final_url"):
        url = getattr(document, field)
        if url is not None and not (type(url) is str and is_web_url(url)):
            return _refuse(field, f"{_NO_URL}, got {quote_value(url)}")
    if canonical_url(document.url) != canonical_url(asked):
        return _refuse("url", f"is for another page, {quote_value(document.url)}")
    return _check_metadata(document)


def _check_metadata(document: LawfulDocument) -> Result[LawfulDocument, InvalidDocument]:
    """Keep metadata that is JSON and of bearable size, as a copy that nobody else holds."""
    encoded = attempt_call(lambda: msgspec.json.encode(document.metadata or {}))
    if isinstance(encoded, Failure):
        return _refuse("metadata", "holds what JSON cannot")
    if len(encoded.unwrap()) > MAX_METADATA_BYTES:
        return _refuse("metadata", f"is larger than {MAX_METADATA_BYTES} bytes")
    copy = msgspec.json.decode(encoded.unwrap(), type=dict[str, object])
    return Success(msgspec.structs.replace(document, metadata=copy))


def _refuse(field: str, reason: str) -> Failure[InvalidDocument]:
    return Failure(InvalidDocument(field=field, reason=reason))
