"""Fields of a request that not every API has: which are set, and the first that is refused."""

from collections.abc import Iterator, Mapping

from ....ports.errors import InvalidQuery
from ....ports.models.chat import ChatRequest
from ..messages.allowed_tools import allows_nothing
from .provider import Provider
from .wire import Wire

# What to do instead, where there is a way.
_INSTEAD = {
    "json_mode": "give output_schema",
    "thinking_budget": "give reasoning_effort",
    "verbosity": "say it in the instructions",
}
_OPTIONAL = (
    "json_mode",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "logprobs",
    "top_logprobs",
    "service_tier",
    "verbosity",
    "thinking_budget",
    "safety_settings",
    "cached_content",
    "background",
)


def refused_field(request: ChatRequest, wire: Wire, provider: Provider) -> InvalidQuery | None:
    """Return why a request cannot be sent over this wire; None if each of its fields can."""
    if allows_nothing(request):
        reason = "allows only tools that the request does not have"
        return InvalidQuery(field="tool_choice", reason=reason)
    fields = wire.takes(request, provider) - provider.fields.drop
    field = next((name for name in set_fields(request) if name not in fields), None)
    if field is None:
        return None
    instead = f"; {_INSTEAD[field]} instead" if field in _INSTEAD else ""
    who = provider.title or provider.name
    return InvalidQuery(field=field, reason=f"is not taken by {who} for this model{instead}")


def set_fields(request: ChatRequest) -> Iterator[str]:
    """Yield the names of the optional fields that a request sets."""
    for name in _OPTIONAL:
        if getattr(request, name) not in (None, False, ()):
            yield name


def named_fields(request: ChatRequest, names: Mapping[str, str]) -> dict[str, object]:
    """Return the fields that are set, under the names that a wire has for them."""
    values = {names[name]: getattr(request, name) for name in set_fields(request) if name in names}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }
