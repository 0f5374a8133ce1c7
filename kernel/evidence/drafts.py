"""What a model wrote for an answer: all of it, or the claims that were whole when it broke off."""

from __future__ import annotations

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import StructuredOutputInvalid, WebError
from ...ports.evidence import ModelText
from .answer_prompts import SaidAnswer, SaidClaim, read_answer
from .claim_stream import whole_claims


class AnswerDraft(msgspec.Struct, frozen=True, kw_only=True):
    """An answer before its check; ``broke_off`` is why it ends early, None if it is whole."""

    answer: SaidAnswer
    broke_off: WebError | None = None


def read_draft(
    written: Result[ModelText, WebError], early_claims: tuple[SaidClaim, ...], model: str
) -> Result[AnswerDraft, WebError]:
    """Return what was written, else the claims that are whole, else the failure.

    ``early_claims`` are the claims that came before the call of the model failed.
    """
    if isinstance(written, Failure):
        return _broken(early_claims, written.failure())
    text = written.unwrap()
    answer = read_answer(text.text)
    if isinstance(answer, Success):
        return Success(AnswerDraft(answer=answer.unwrap()))
    claims = whole_claims(text.text)
    reason = text.cut or ("it is not whole" if claims else answer.failure())
    return _broken(claims, StructuredOutputInvalid(reason=reason, backend=model))


def _broken(claims: tuple[SaidClaim, ...], error: WebError) -> Result[AnswerDraft, WebError]:
    if not claims:
        return Failure(error)
    return Success(AnswerDraft(answer=SaidAnswer(claims=claims), broke_off=error))
