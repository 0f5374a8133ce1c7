"""Check model requests, and turn answers into messages for the next request."""

from collections.abc import Mapping

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidQuery
from webseam.ports.models import ChatRequest, Message, NormalizedResponse, OutputSchema, ToolCall

from ...boundary import attempt_call
from ...laws.field_checks import first_field_fault, plain_fields, refuse_field
from ...text.display import plain_texts, quote_value

ROLES = ("system", "developer", "user", "assistant", "tool")

_REQUEST_RULES = {
    "model": "must be the name of a model", "messages": "must be a list of at least one message",
    "tools": "must be a list of tools, each an object",
    "tool_choice": "must be auto, none, required or an object",
    "parallel_tool_calls": "must be true or false",
    "max_tokens": "must be a whole number of at least 1",
    "temperature": "must be a number from 0 to 2", "top_p": "must be a number above 0 and up to 1",
    "stop": "must be a list of texts",
    "reasoning_effort": "must be none, minimal, low, medium, high, xhigh or max",
    "output_schema": "must be a JSON schema with a name of letters, digits, _ and -",
    "instructions": "must be text", "store": "must be true or false",
    "previous_response_id": "must be text", "include": "must be a list of texts",
    "cache": "must be true or false", "session": "must be text", "extra_body": "must be an object",
    "deadline": "must be a number of seconds above 0",
    "n": "must be 1: send another request for another answer", "json_mode": "must be true or false",
    "seed": "must be a whole number", "frequency_penalty": "must be a number from -2 to 2",
    "presence_penalty": "must be a number from -2 to 2", "logprobs": "must be true or false",
    "top_logprobs": "must be a whole number from 0 to 20",
    "service_tier": "must be the name of a tier", "verbosity": "must be low, medium or high",
    "thinking_budget": "must be a whole number of tokens, 0 for none",
    "safety_settings": "must be a list of objects with category and threshold",
    "cached_content": "must be the name of cached content", "background": "must be true or false",
}  # fmt: skip


def check_chat_request(request: object) -> Result[ChatRequest, InvalidQuery]:
    """Return a request that keeps every rule, or the first field that breaks one.

    >>> check_chat_request({"model": "m", "messages": []}).failure().field
    'messages'
    """
    converted = attempt_call(lambda: _convert_request(request))
    if isinstance(converted, Failure):
        return refuse_field("request", "could not be read")
    checked = converted.unwrap()
    return checked if isinstance(checked, Failure) else _check_messages(checked.unwrap())


def assistant_message(response: NormalizedResponse) -> dict[str, object]:
    """Return an answer as the message that goes into the next request.

    Reasoning and provider data go with it; each wire sends only its own.
    """
    message: dict[str, object] = {"role": "assistant", "content": response.content}
    if response.tool_calls:
        message["tool_calls"] = [_tool_call_message(call) for call in response.tool_calls]
    for name in ("reasoning", "reasoning_content", "provider_data"):
        value = getattr(response, name)
        if value is not None:
            message[name] = value
    return message


def _convert_request(request: object) -> Result[ChatRequest, InvalidQuery]:
    raw = plain_texts(plain_fields(request))
    if not isinstance(raw, dict):
        return refuse_field("request", f"must be an object, got {quote_value(raw)}")
    fields = dict(raw)
    if isinstance(fields.get("output_schema"), OutputSchema):
        # Unpack the Struct, because msgspec does not validate one that has the right type.
        fields["output_schema"] = plain_fields(fields["output_schema"])
    try:
        return Success(msgspec.convert(fields, ChatRequest))
    except msgspec.ValidationError:
        fault = first_field_fault(fields, ChatRequest, _REQUEST_RULES)
        return refuse_field(fault.field, fault.reason)


def _check_messages(request: ChatRequest) -> Result[ChatRequest, InvalidQuery]:
    for index, message in enumerate(request.messages):
        fault = _message_fault(message)
        if fault is not None:
            return refuse_field(f"messages[{index}].{fault[0]}", fault[1])
    return Success(request)


def _message_fault(message: Message) -> tuple[str, str] | None:
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        return "role", f"must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, got {quote_value(role)}"
    call_id = message.get("tool_call_id")
    if role == "tool" and not (isinstance(call_id, str) and call_id.strip()):
        return "tool_call_id", "must name the call whose result this is"
    if content is not None and not isinstance(content, str | list | tuple):
        return "content", f"must be text or a list of parts, got {quote_value(content)}"
    return None


def _tool_call_message(call: ToolCall) -> Mapping[str, object]:
    function = {"name": call.name, "arguments": call.arguments}
    provider_data = {} if call.provider_data is None else {"provider_data": call.provider_data}
    return {"id": call.id, "type": "function", "function": function, **provider_data}
