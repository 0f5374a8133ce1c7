"""Request fields that all wires share, by the provider's rules for a model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from webseam.adapters.values.json_values import short_id
from webseam.ports.models import ChatRequest, Effort, Message, OutputSchema, Tool

from ..schemas import moonshot_tools, strict_schema
from .provider import ModelRule, Provider

EFFORT_LEVELS: tuple[Effort, ...] = get_args(Effort)
# Rules for families of models on any host; whatever the provider declares comes first.
FAMILY_RULES = (
    ModelRule(contains="kimi", temperature="omit"),
    ModelRule(contains="moonshot", temperature="omit"),
    # The server answers other levels with a 500.
    ModelRule(contains="qwen3.8", efforts=("none", "low", "medium", "xhigh")),
)


def clamp_effort(
    effort: Effort | None,
    known: Sequence[Effort] | None,
    instead: Mapping[Effort, Effort] | None = None,
) -> Effort | None:
    """Return the level to send: the requested one, else the nearest weaker one in ``known``.

    ``instead`` maps a level to the vendor's replacement. A request to think never becomes ``none``;
    without a weaker level it becomes the weakest. None, or a model without levels, gives None.

    >>> clamp_effort("xhigh", ("low", "high")), clamp_effort("minimal", ("none", "low"))
    ('high', 'low')
    """
    if effort is None or known is None or effort in known:
        return effort
    replaced = (instead or {}).get(effort)
    if replaced in known:
        return replaced
    levels = [level for level in EFFORT_LEVELS if level in known and level != "none"]
    weaker = [level for level in levels if EFFORT_LEVELS.index(level) < EFFORT_LEVELS.index(effort)]
    if effort == "none" or not levels:
        # The model cannot stop thinking, or has no levels: send no level.
        return None
    return weaker[-1] if weaker else levels[0]


def drop_message_fields(
    messages: Sequence[Message], fields: frozenset[str], *, role: str | None = None
) -> Sequence[Message]:
    """Return the messages without some fields; with ``role`` only its messages lose them."""
    return tuple(
        {name: value for name, value in message.items() if name not in fields}
        if role is None or message.get("role") == role
        else message
        for message in messages
    )


def provider_tools(tools: Sequence[Tool], provider: Provider, model: str) -> Sequence[Tool]:
    """Return the tools as the provider accepts them; Kimi's models are strict on any host."""
    return moonshot_tools(provider.changes.sanitize_tools(tools, model), model)


def declared_temperature(request: ChatRequest, provider: Provider) -> float | None:
    """Return the temperature to send; None to omit it."""
    temperatures = (rule.temperature for rule in _matching_rules(request.model, provider))
    rule = next((value for value in temperatures if value is not None), "caller")
    if rule == "unthinking":
        return request.temperature if effort_of(request, provider) == "none" else None
    if isinstance(rule, str):
        return request.temperature if rule == "caller" else None
    return float(rule)


def sent_top_p(request: ChatRequest, provider: Provider) -> float | None:
    """Return the ``top_p`` to send; None for a model that takes no temperature."""
    with_temperature = replace(request, temperature=1.0)
    return None if declared_temperature(with_temperature, provider) is None else request.top_p


def declared_max_tokens(request: ChatRequest, provider: Provider) -> int | None:
    """Return the cap to send: the caller's, else the model's, else the provider's."""
    if request.max_tokens is not None:
        return request.max_tokens
    caps = (rule.max_tokens for rule in _matching_rules(request.model, provider))
    return next((value for value in caps if value is not None), None)


def may_model_think(model: str, provider: Provider) -> bool:
    """Tell whether a model may think: False if a rule for it gives it no levels."""
    name, rules = model.lower(), (*provider.fields.models, *FAMILY_RULES)
    levels = (rule.efforts for rule in rules if rule.contains in name)
    return next((value for value in levels if value is not None), None) != ()


def effort_of(request: ChatRequest, provider: Provider) -> Effort | None:
    """Return the effort to send, among the model's levels; None to omit it."""
    levels = (rule.efforts for rule in _matching_rules(request.model, provider))
    supported = next((value for value in levels if value is not None), None)
    return clamp_effort(request.reasoning_effort, supported)


def reasoning_fields(
    request: ChatRequest, provider: Provider, write: Callable[[Effort], Mapping[str, object]]
) -> Mapping[str, object]:
    """Return the provider's own fields for thinking; without any, ``write`` makes the effort's."""
    budget = provider.changes.thinking_budget
    if budget is not None and request.thinking_budget is not None:
        return budget(request.thinking_budget)
    if provider.changes.reasoning is not None:
        return provider.changes.reasoning(request)
    effort = effort_of(request, provider)
    return {} if effort is None else write(effort)


def output_schema_fields(output_schema: OutputSchema) -> dict[str, object]:
    """Return name, schema and strictness; an open schema cannot be strict."""
    name, schema, strict = output_schema.name, output_schema.schema, output_schema.strict
    if output_schema.as_given:
        return {"name": name, "strict": strict, "schema": schema}
    closed = strict_schema(schema) if strict else None
    if closed is None:
        return {"name": name, "strict": False, "schema": schema}
    return {"name": name, "strict": True, "schema": closed}


def prompt_cache_field(request: ChatRequest, provider: Provider) -> dict[str, str]:
    """Return the field that ties a session to one prompt cache, if the provider has it."""
    if not provider.fields.prompt_cache_key or not request.session:
        return {}
    return {"prompt_cache_key": short_id(request.session, "session_")}


def finish_model_body(
    body: dict[str, object], request: ChatRequest, provider: Provider
) -> dict[str, object]:
    """Add the provider's fields, drop those it refuses, then add the caller's own."""
    merged = _merge_fields(body, provider.changes.extra_body(request))
    accepted = {name: value for name, value in merged.items() if name not in provider.fields.drop}
    return _merge_fields(accepted, request.extra_body)


def _merge_fields(body: Mapping[str, object], more: Mapping[str, object]) -> dict[str, object]:
    """Merge objects one level deep, so that an added option keeps its neighbours."""
    merged = dict(body)
    for name, value in more.items():
        existing = merged.get(name)
        are_objects = isinstance(existing, Mapping) and isinstance(value, Mapping)
        merged[name] = {**existing, **value} if are_objects else value  # type: ignore[dict-item]  # both are
    return merged


def _matching_rules(model: str, provider: Provider) -> Iterator[ModelRule]:
    """Yield the rules for a model: the provider's for it, the provider's for all, its family's.

    Who declares a provider knows its models better than a rule about their names.
    """
    name, fields = model.lower(), provider.fields
    yield from (rule for rule in fields.models if rule.contains in name)
    yield ModelRule(
        contains="",
        temperature=fields.temperature,
        max_tokens=fields.max_tokens,
        efforts=fields.efforts,
    )
    yield from (rule for rule in FAMILY_RULES if rule.contains in name)
