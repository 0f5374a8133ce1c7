"""What a backend says of X: checked field by field, and whether it rests on X at all."""

from typing import Annotated

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload
from ...ports.x_search import InlineCitation, XSearchRequest
from ..boundary import attempt_call
from ..laws.field_checks import plain_fields
from ..text.display import is_plain, quote_value
from ..urls.spelling import is_web_url
from .request import x_request_filters

_MAX_ANSWER_CHARS = 2_000_000
_Text = Annotated[str, Meta(max_length=_MAX_ANSWER_CHARS)]


class XAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an answer, as msgspec checks them."""

    answer: _Text
    citations: tuple[str, ...] = ()
    inline_citations: tuple[InlineCitation, ...] = ()
    response_id: Annotated[str, Meta(max_length=500)] | None = None
    x_search_calls: Annotated[int, Meta(ge=0)] | None = None
    model: Annotated[str, Meta(max_length=500)] = ""
    credential_source: Annotated[str, Meta(max_length=100)] = ""


class CheckedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with its usable citations, and how many were left out because they are not."""

    answer: XAnswer
    left_out: int


def check_x_answer(raw_answer: object) -> Result[CheckedAnswer, BadPayload]:
    """Return the answer if it has the right shape; sources that are no web address are left out."""
    converted = attempt_call(lambda: msgspec.convert(plain_fields(raw_answer), XAnswer))
    if isinstance(converted, Failure):
        return Failure(_shape(f"expected an answer from X, got {quote_value(raw_answer)}"))
    answer = converted.unwrap()
    if not all(map(is_plain, (answer.answer, answer.model, answer.response_id or ""))):
        return Failure(_shape("the answer is not valid Unicode text"))
    citations = tuple(url for url in answer.citations if _usable(url))
    inline = tuple(each for each in answer.inline_citations if _is_citation(each))
    raw_answer = len(answer.citations) + len(answer.inline_citations)
    return Success(
        CheckedAnswer(
            answer=msgspec.structs.replace(answer, citations=citations, inline_citations=inline),
            left_out=raw_answer - len(citations) - len(inline),
        )
    )


def explain_degradation(request: XSearchRequest, answer: XAnswer) -> str | None:
    """Return why the answer may not rest on X; None when it seems to.

    A model can answer without having searched, or search and find nothing to point to.
    """
    active = x_request_filters(request)
    narrowed = f" (narrowed by {', '.join(active)})" if active else ""
    if answer.x_search_calls == 0:
        return f"the model answered without searching X{narrowed}"
    if answer.citations or answer.inline_citations:
        return None
    if answer.x_search_calls is not None:
        return f"X was searched, but the answer names no source{narrowed}"
    return f"the answer names no source{narrowed}" if active else None


def _is_citation(citation: InlineCitation) -> bool:
    return _usable(citation.url) and is_plain(citation.title)


def _usable(url: str) -> bool:
    return is_plain(url) and is_web_url(url)


def _shape(detail: str) -> BadPayload:
    return BadPayload(problem="shape", detail=detail)
