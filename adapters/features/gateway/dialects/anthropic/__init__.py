"""Anthropic's Messages with the server tools ``web_search`` and ``web_fetch``.

Any provider answers: it gets the web tools as functions, and the gateway runs them.
https://platform.claude.com/docs/en/api/messages (read 2026-11-18)
"""

from ...asks import Dialect, Endpoint, accept_call, header_keys
from .message_writer import anthropic_refusal_reply
from .messages import IDLE_FIELDS, MessagesBody, read_messages_call

DIALECT = Dialect(
    name="anthropic",
    title="Anthropic Messages",
    names={
        "include_domains": "allowed_domains",
        "exclude_domains": "blocked_domains",
        "country": "user_location",
        "reasoning_effort": "output_config.effort",
        "output_schema": "output_config.format",
        "stop": "stop_sequences",
        "cache": "cache_control",
        "parallel_tool_calls": "tool_choice.disable_parallel_tool_use",
    },
    keys=header_keys,
    refuse=anthropic_refusal_reply,
    endpoints=(
        Endpoint(
            path="/v1/messages",
            read=read_messages_call,
            shape=MessagesBody,
            idle=IDLE_FIELDS,
            root=accept_call,
            long=True,
        ),
    ),
)
