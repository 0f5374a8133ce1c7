"""Mistral: refuses every field it does not know, and wants tool call ids of nine letters."""

import hashlib
import re
from collections.abc import Mapping, Sequence

from ....ports.models.chat import Message
from ..declaration.provider import Changes, FieldRules, HistoryRules, Login, ModelRule, Provider

_ID = re.compile(r"[A-Za-z0-9]{9}")
_ID_DIGITS = 9


def with_short_ids(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Give calls and their results the ids that are accepted."""
    return tuple(map(_with_short_ids, messages))


def accepted_id(identity: str) -> str:
    """Return an id that Mistral takes, always the same for the same id.

    >>> accepted_id("abcDEF123"), accepted_id("call_1")
    ('abcDEF123', '74196fe72')
    """
    if _ID.fullmatch(identity):
        return identity
    source = identity.encode("utf-8", "surrogatepass")
    return hashlib.sha256(source).hexdigest()[:_ID_DIGITS]


def _with_short_ids(message: Message) -> Message:
    answered, calls = message.get("tool_call_id"), message.get("tool_calls")
    if isinstance(answered, str):
        return {**message, "tool_call_id": accepted_id(answered)}
    if isinstance(calls, list | tuple):
        return {**message, "tool_calls": [_with_short_id(call) for call in calls]}
    return message


def _with_short_id(call: object) -> object:
    if not isinstance(call, Mapping) or not isinstance(call.get("id"), str):
        return call
    return {**call, "id": accepted_id(call["id"])}


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
        # Small is the one that can be asked to think, all the way or not at all.
        models=(ModelRule(contains="mistral-small", efforts=("none", "high")),),
        efforts=(),
        prompt_cache_key=True,
        # Usage comes in the last piece of every stream; asking for it is a 422.
        stream_usage=False,
    ),
    changes=Changes(prepare_messages=with_short_ids),
    auxiliary_model="mistral-small-latest",
    history=HistoryRules(reasoning_fields=frozenset()),
)
