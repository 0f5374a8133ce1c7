"""Mistral: refuses unknown fields, and wants tool call ids of nine letters or digits."""

import hashlib
import re
from collections.abc import Mapping

from webseam.ports.models import Message

from ..declaration.provider import Changes, FieldRules, HistoryRules, Login, ModelRule, Provider

_ID_PATTERN = re.compile(r"[A-Za-z0-9]{9}")
_ID_CHARS = 9


def mistral_call_id(identity: str) -> str:
    """Return an id that Mistral accepts, always the same for the same id.

    >>> mistral_call_id("abcDEF123")
    'abcDEF123'
    >>> mistral_call_id("call_1")
    '74196fe72'
    """
    if _ID_PATTERN.fullmatch(identity):
        return identity
    source = identity.encode("utf-8", "surrogatepass")
    return hashlib.sha256(source).hexdigest()[:_ID_CHARS]


def _convert_message_ids(message: Message) -> Message:
    result_id, calls = message.get("tool_call_id"), message.get("tool_calls")
    if isinstance(result_id, str):
        return {**message, "tool_call_id": mistral_call_id(result_id)}
    if isinstance(calls, list | tuple):
        return {**message, "tool_calls": [_convert_call_id(call) for call in calls]}
    return message


def _convert_call_id(call: object) -> object:
    if not isinstance(call, Mapping) or not isinstance(call.get("id"), str):
        return call
    return {**call, "id": mistral_call_id(call["id"])}


MISTRAL = Provider(
    name="mistral",
    aliases=("mistral-ai", "mistralai"),
    title="Mistral",
    site="https://docs.mistral.ai",
    login=Login(
        env=("MISTRAL_API_KEY",),
        base_url="https://api.mistral.ai/v1",
        base_url_env="MISTRAL_BASE_URL",
    ),
    fields=FieldRules(
        # Only Small can think, with high effort or none.
        models=(ModelRule(contains="mistral-small", efforts=("none", "high")),),
        efforts=(),
        prompt_cache_key=True,
        # https://docs.mistral.ai/api/endpoint/chat (2026-11-19)
        seed_field="random_seed",
        # The last chunk of every stream has the usage; a request for it is a 422.
        stream_usage=False,
    ),
    changes=Changes(
        prepare_messages=lambda messages, _model: tuple(map(_convert_message_ids, messages)),
    ),
    auxiliary_model="mistral-small-latest",
    history=HistoryRules(reasoning_fields=frozenset()),
)
