"""What a backend says of X: checked field by field, and whether it rests on X at all."""

from typing import Annotated

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload
from ...ports.x_search import InlineCitation, XSearchRequest
from ..boundary import attempt
from ..fields import plain_fields
from ..text import is_plain, shown
from ..urls import is_web_url
from .request import filters_in

_MOST_CHARACTERS = 2_000_000
_Text = Annotated[str, Meta(max_length=_MOST_CHARACTERS)]


class XAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an answer, as msgspec checks them."""

    answer: _Text
    citations: tuple[str, ...] = ()
    inline_citations: tuple[InlineCitation, ...] = ()
    response_id: Annotated[str, Meta(max_length=500)] | None = None
    x_search_calls: Annotated[int, Meta(ge=0)] | None = None
    model: Annotated[str, Meta(max_length=500)] = ""
    credential_source: Annotated[str, Meta(max_length=100)] = ""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with its usable citations, and how many were left out because they are not."""

    answer: XAnswer
    left_out: int


def check_x_answer(given: object) -> Result[Checked, BadPayload]:
    """Return the answer if it has the right shape; sources that are no web address are left out."""
    read = attempt(lambda: msgspec.convert(plain_fields(given), XAnswer))
    if isinstance(read, Failure):
        return Failure(_shape(f"expected an answer from X, got {shown(given)}"))
    answer = read.unwrap()
    if not all(map(is_plain, (answer.answer, answer.model, answer.response_id or ""))):
        return Failure(_shape("the answer is not valid Unicode text"))
    citations = tuple(dict.fromkeys(url for url in answer.citations if _usable(url)))
    inline = tuple(each for each in answer.inline_citations if _usable(each.url))
    unusable = sum(not _usable(url) for url in answer.citations)
    return Success(
        Checked(
            answer=msgspec.structs.replace(answer, citations=citations, inline_citations=inline),
            left_out=unusable + len(answer.inline_citations) - len(inline),
        )
    )


def degradation(request: XSearchRequest, answer: XAnswer) -> str | None:
    """Return why the answer may not rest on X; None when it seems to.

    A model can answer without having searched, or search and find nothing to point to.
    """
    sources = bool(answer.citations or answer.inline_citations)
    if answer.x_search_calls == 0:
        return "the model answered without searching X"
    if sources:
        return None
    if answer.x_search_calls is not None:
        return "X was searched, but the answer names no source"
    active = filters_in(request)
    if not active:
        return None
    return f"no source came back although the search was narrowed by {', '.join(active)}"


def _usable(url: str) -> bool:
    return is_plain(url) and is_web_url(url)


def _shape(detail: str) -> BadPayload:
    return BadPayload(problem="shape", detail=detail)
