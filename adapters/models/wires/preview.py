"""What would be sent, without sending it: for those who write a provider."""

from functools import cache
from importlib import import_module
from typing import cast

from ....ports.models import ChatRequest
from ..declaration.provider import ApiMode, Provider
from ..declaration.wire import Wire, WireRequest


@cache
def wire_of(api_mode: ApiMode) -> Wire:
    """Return the wire; it is loaded when it is first spoken."""
    module = import_module(f".wires.{api_mode}", __package__)
    return cast("Wire", vars(module)[api_mode.upper()])


# What would be sent, without sending it: for those who write a provider.


def preview(provider: Provider, request: ChatRequest, *, stream: bool = False) -> WireRequest:
    """Return path, headers and body of a call, all but the key.

    >>> preview(Provider(name="mine"), ChatRequest(model="m", messages=())).path
    '/chat/completions'
    """
    return wire_of(provider.api_mode).build_request(request, provider, stream=stream)
