"""The wire of each API, loaded on first use, and a preview of its request."""

from functools import cache
from importlib import import_module
from typing import cast

from webseam.ports.models import ChatRequest

from ..declaration.provider import ApiMode, Provider
from ..declaration.wire import Wire, WireRequest

_WIRE_MODULES: dict[ApiMode, str] = {
    "anthropic_messages": "anthropic.messages", "bedrock_converse": "bedrock.converse",
    "chat_completions": "chat.completions", "gemini_generate": "gemini.generate",
    "responses": "responses.responses_requests",
}  # fmt: skip


@cache
def load_wire(api_mode: ApiMode) -> Wire:
    """Return the wire of an API mode; import it on first use."""
    module = import_module(f".{_WIRE_MODULES[api_mode]}", __package__)
    return cast("Wire", vars(module)[api_mode.upper()])


def preview(provider: Provider, request: ChatRequest, *, stream: bool = False) -> WireRequest:
    """Return path, headers and body of a call, without the key.

    >>> preview(Provider(name="mine"), ChatRequest(model="m", messages=())).path
    '/chat/completions'
    """
    return load_wire(provider.api_mode).build_request(request, provider, stream=stream)
