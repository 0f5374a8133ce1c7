"""The usual fields of a request, as the provider's rules have them for a model."""

from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from ....ports.models.chat import ChatRequest, Effort, Message, OutputSchema, Tool
from ...values.json_values import short_id, write_json
from ..schemas import moonshot_tools, strict_schema
from .provider import ModelRule, Provider

LADDER: tuple[Effort, ...] = get_args(Effort)


def clamp_effort(
    effort: Effort | None,
    known: Sequence[Effort] | None,
    instead: Mapping[Effort, Effort] | None = None,
) -> Effort | None:
    """Return the level to send: the one asked for, else the nearest weaker one that is known.

    ``instead`` are a vendor's own replacements. A request to think never becomes ``none``; where
    nothing weaker is known it is the weakest. None, or a model without levels, is None.

    >>> clamp_effort("xhigh", ("low", "high")), clamp_effort("minimal", ("none", "low"))
    ('high', 'low')
    """
    if effort is None or known is None or effort in known:
        return effort
    replaced = (instead or {}).get(effort)
    if replaced in known:
        return replaced
    rungs = [level for level in LADDER if level in known and level != "none"]
    weaker = [level for level in rungs if LADDER.index(level) < LADDER.index(effort)]
    if effort == "none" or not rungs:
        # Thinking cannot be switched off here, or cannot be asked for: say nothing.
        return None
    return weaker[-1] if weaker else rungs[0]


# The usual fields of a request, as the provider's rules have them for a model.


def without_fields(
    messages: Sequence[Message], fields: frozenset[str], *, role: str | None = None
) -> Sequence[Message]:
    """Return the messages, or those of one role, without some of their fields."""
    return tuple(
        {name: value for name, value in message.items() if name not in fields}
        if role is None or message.get("role") == role
        else message
        for message in messages
    )


# What holds for a family of models wherever it is served; the provider's own rules come first.
FAMILIES = (
    ModelRule(contains="kimi", temperature="omit"),
    ModelRule(contains="moonshot", temperature="omit"),
    # Other levels are answered with a 500.
    ModelRule(contains="qwen3.8", efforts=("none", "low", "medium", "xhigh")),
)


def provider_tools(tools: Sequence[Tool], provider: Provider, model: str) -> Sequence[Tool]:
    """Return the tools as the provider takes them; Kimi's models are strict on any host."""
    return moonshot_tools(provider.changes.sanitize_tools(tools, model), model)


def sent_temperature(request: ChatRequest, provider: Provider) -> float | None:
    """Return the temperature to send, None to send none."""
    temperatures = (rule.temperature for rule in _rules(request.model, provider))
    rule = next((value for value in temperatures if value is not None), provider.fields.temperature)
    if rule == "unthinking":
        return request.temperature if effort_of(request, provider) == "none" else None
    if isinstance(rule, str):
        return request.temperature if rule == "caller" else None
    return float(rule)


def sent_top_p(request: ChatRequest, provider: Provider) -> float | None:
    """Return the other way to draw words; who takes no temperature takes neither."""
    warm = replace(request, temperature=1.0)
    return None if sent_temperature(warm, provider) is None else request.top_p


def sent_max_tokens(request: ChatRequest, provider: Provider) -> int | None:
    """Return the cap to send: the caller's, else the model's, else the provider's."""
    if request.max_tokens is not None:
        return request.max_tokens
    caps = (rule.max_tokens for rule in _rules(request.model, provider))
    return next((value for value in caps if value is not None), provider.fields.max_tokens)


def may_reason(model: str, provider: Provider) -> bool:
    """Tell whether a model may think, as far as is known: a rule that gives it no levels denies."""
    levels = (rule.efforts for rule in _rules(model, provider))
    return next((value for value in levels if value is not None), None) != ()


def effort_of(request: ChatRequest, provider: Provider) -> Effort | None:
    """Return the effort to ask for, among those that the model knows; None to ask for none."""
    levels = (rule.efforts for rule in _rules(request.model, provider))
    known = next((value for value in levels if value is not None), provider.fields.efforts)
    return clamp_effort(request.reasoning_effort, known)


def sent_instructions(request: ChatRequest, provider: Provider) -> str:
    """Return what stands before the messages; the schema too, where only words can tell it."""
    instructions = request.instructions or ""
    wanted = request.output_schema
    if wanted is None or provider.fields.structured_output == "json_schema":
        return instructions
    schema = f"Answer with JSON alone, following this JSON schema:\n{write_json(wanted.schema)}"
    return f"{instructions}\n\n{schema}" if instructions else schema


def schema_fields(output_schema: OutputSchema) -> dict[str, object]:
    """Return name, schema and whether it is strict, which only a closed schema can be."""
    if output_schema.as_given:
        return {
            "name": output_schema.name,
            "strict": output_schema.strict,
            "schema": output_schema.schema,
        }
    closed = strict_schema(output_schema.schema) if output_schema.strict else None
    return {
        "name": output_schema.name,
        "strict": closed is not None,
        "schema": output_schema.schema if closed is None else closed,
    }


def cache_key_field(request: ChatRequest, provider: Provider) -> dict[str, str]:
    """Return the field that keeps a session on one cache, where the provider has it."""
    if not provider.fields.prompt_cache_key or not request.session:
        return {}
    return {"prompt_cache_key": short_id(request.session, "session_")}


def finish_body(
    body: dict[str, object], request: ChatRequest, provider: Provider
) -> dict[str, object]:
    """Add what the provider adds, take out what it refuses; the caller's own fields come last."""
    merged = _merged(body, provider.changes.extra_body(request))
    accepted = {name: value for name, value in merged.items() if name not in provider.fields.drop}
    return _merged(accepted, request.extra_body)


def _merged(body: Mapping[str, object], more: Mapping[str, object]) -> dict[str, object]:
    """Merge objects one level deep, so that adding one option does not lose its neighbours."""
    merged = dict(body)
    for name, value in more.items():
        held = merged.get(name)
        both = isinstance(held, Mapping) and isinstance(value, Mapping)
        merged[name] = {**held, **value} if both else value  # type: ignore[dict-item]  # both are
    return merged


def _rules(model: str, provider: Provider) -> Iterator[ModelRule]:
    name = model.lower()
    return (rule for rule in (*provider.fields.models, *FAMILIES) if rule.contains in name)
