"""Have a model write an object, and hand on nothing that was not checked.

A model that is asked for an object may write prose, null, or half an object, or one that says
something else. An answer that fails the check is asked for once more, with the reason. Then the
call fails: text never stands where an object was asked for.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import StructuredOutputInvalid, WebError
from webseam.ports.models import ChatModel, ChatRequest, Message, NormalizedResponse
from webseam.ports.receipts import Usage, add_usage

from ...text.display import one_line, strip_hidden
from .small_work import ask_chat_model
from .structured_output import parse_model_json

Checked = TypeVar("Checked")
JsonObject: TypeAlias = dict[str, object]
CheckObject: TypeAlias = Callable[[JsonObject], Awaitable[Result[Checked, str]]]
MAX_ASKS: Final = 2
_MAX_SHOWN_CHARS: Final = 20_000
_AGAIN_PROMPT: Final = (
    "That answer cannot be used: {reason}. Answer again, with one JSON object that keeps to the "
    "schema, and nothing else."
)


class CheckedObject(msgspec.Struct, Generic[Checked], frozen=True, kw_only=True):
    """What a check made of an object, and the answer that had it."""

    value: Checked
    response: NormalizedResponse


class ObjectAnswer(msgspec.Struct, Generic[Checked], frozen=True, kw_only=True):
    """An object, or why there is none, and what all answers of the model cost."""

    checked: Result[CheckedObject[Checked], WebError]
    usage: Usage | None = None


async def ask_for_object(
    request: ChatRequest, model: ChatModel, check: CheckObject[Checked]
) -> ObjectAnswer[Checked]:
    """Return an object that passed ``check``; the failure of a check says in words what is wrong.

    The last reason is that of the ``StructuredOutputInvalid``, so it should quote no answer.
    """
    usage: Usage | None = None
    reason = ""
    for _ in range(MAX_ASKS):
        answered = await ask_chat_model(request, model)
        if isinstance(answered, Failure):
            return ObjectAnswer(checked=answered, usage=usage)
        response = answered.unwrap()
        usage = add_usage(usage, response.usage)
        checked = await check_response(response, check)
        if isinstance(checked, Success):
            passed = CheckedObject(value=checked.unwrap(), response=response)
            return ObjectAnswer(checked=Success(passed), usage=usage)
        reason = checked.failure()
        request = request_again(request, response, reason)
    error = StructuredOutputInvalid(reason=one_line(reason), backend=request.model)
    return ObjectAnswer(checked=Failure(error), usage=usage)


def request_again(request: ChatRequest, response: NormalizedResponse, reason: str) -> ChatRequest:
    """Return the request for another answer, with the reason why this one cannot be used."""
    turns: tuple[Message, ...] = (
        {"role": "assistant", "content": (response.content or "")[:_MAX_SHOWN_CHARS] or "-"},
        {"role": "user", "content": _AGAIN_PROMPT.format(reason=reason)},
    )
    return msgspec.structs.replace(request, messages=(*request.messages, *turns))


async def check_response(
    response: NormalizedResponse, check: CheckObject[Checked]
) -> Result[Checked, str]:
    """Return what a check makes of the object in an answer, or why the answer cannot be used."""
    if response.finish_reason == "length":
        return Failure("the answer was cut off at its limit")
    parsed = parse_model_json(strip_hidden(response.content or ""))
    if isinstance(parsed, Failure):
        return parsed
    value = parsed.unwrap()
    if not isinstance(value, dict):
        return Failure("the answer is not an object")
    return await check(value)
