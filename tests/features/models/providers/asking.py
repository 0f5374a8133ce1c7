"""What a provider makes of a request, as the wire sends it."""

from typing import Any

from webseam.adapters.features.models.declaration.provider import (
    Account,
    Provider,
)
from webseam.adapters.features.models.declaration.wire import WireRequest
from webseam.adapters.features.models.provider_registry import (
    built_in_providers,
    register_providers,
)
from webseam.adapters.features.models.wires.preview import preview
from webseam.ports import ChatRequest

USER = {"role": "user", "content": "hello"}
REGISTRY = register_providers(built_in_providers())


def provider(name: str) -> Provider:
    return REGISTRY.find(name).unwrap()


def built(who: str | Provider, model: str = "m", **asked: Any) -> WireRequest:  # noqa: ANN401  any field
    request = ChatRequest(**{"model": model, "messages": (USER,), **asked})
    named = provider(who) if isinstance(who, str) else who
    return preview(named, request)


def added(who: str | Provider, model: str = "m", **asked: Any) -> dict[str, Any]:  # noqa: ANN401  any field
    """Return the body without model and messages."""
    body = built(who, model, **asked).body
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


def account(name: str, **environment: str) -> Account:
    named = provider(name)
    return named.account(environment).unwrap()


def tool(parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "look", "parameters": parameters}}


def parameters(who: str, schema: dict[str, Any], model: str = "m") -> Any:  # noqa: ANN401  any JSON
    body: Any = built(who, model, tools=(tool(schema),)).body
    return body["tools"][0]["function"]["parameters"]
