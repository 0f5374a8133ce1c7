"""What would be sent, without sending it: for those who write a provider."""

from ...ports.models import ChatRequest
from .provider import Provider
from .speaking import wire_of
from .wire import WireRequest


def preview(provider: Provider, request: ChatRequest, *, stream: bool = False) -> WireRequest:
    """Return path, headers and body of a call, all but the key.

    >>> preview(Provider(name="mine"), ChatRequest(model="m", messages=())).path
    '/chat/completions'
    """
    return wire_of(provider.api_mode).build_request(request, provider, stream=stream)
