"""What chats and Responses share: messages, the place of the user, fields without effect."""

import msgspec

MODEL_NAME = "webseam"
MAX_ROWS = 10
CITATION_TYPE = "url_citation"
# What steers how a model writes. A chat here is a search: no model writes anything.
CHAT_IDLE_FIELDS = frozenset({
    "annotations", "cache_control", "frequency_penalty", "logit_bias", "logprobs",
    "max_completion_tokens", "max_tokens",
    "metadata", "name", "parallel_tool_calls", "presence_penalty", "prompt_cache_key",
    "reasoning", "reasoning_effort", "safety_identifier", "search_context_size", "seed",
    "service_tier", "stop", "store", "stream_options", "temperature", "tool_choice", "top_k",
    "top_logprobs", "top_p", "truncation", "user", "verbosity",
    # Parts of a place and of a message.
    "city", "region", "timezone", "type",
})  # fmt: skip
CHAT_DEFAULTS = {
    "frequency_penalty": 0, "logprobs": False, "parallel_tool_calls": True, "presence_penalty": 0,
    "service_tier": "auto", "store": False, "temperature": 1, "tool_choice": "auto", "top_p": 1,
    "truncation": "disabled",
}  # fmt: skip


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None


class ChatMessage(msgspec.Struct):
    """One message; its content is text or a list of parts."""

    role: str = ""
    content: str | list[_Part] | None = None


class _ApproximatePlace(msgspec.Struct):
    country: str | None = None


class UserLocation(msgspec.Struct):
    """The place of the user."""

    approximate: _ApproximatePlace | None = None
    country: str | None = None


def message_text(message: ChatMessage) -> str:
    """Return the text of a message."""
    if isinstance(content := message.content, list):
        return " ".join(part.text or "" for part in content).strip()
    return (content or "").strip()


def last_user_question(messages: list[ChatMessage]) -> int | None:
    """Return the index of the last message of a user that has text; None without one."""
    return next(
        (
            index
            for index in reversed(range(len(messages)))
            if messages[index].role == "user" and message_text(messages[index])
        ),
        None,
    )


def user_country(location: UserLocation | None) -> str | None:
    """Return the country of a place."""
    if location is None:
        return None
    return location.approximate.country if location.approximate is not None else location.country
