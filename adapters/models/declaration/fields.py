"""The usual fields of a request: which of them a provider takes, and with which values."""

from typing import Literal, TypeAlias

import msgspec

from ....ports.models.chat import Effort

# The caller's, none at all, the caller's while thinking is switched off, or always this one.
TemperatureRule: TypeAlias = Literal["caller", "omit", "unthinking"] | float
Efforts: TypeAlias = tuple[Effort, ...]


class ModelRule(msgspec.Struct, frozen=True, kw_only=True):
    """What holds for the models whose name has ``contains`` in it; None says nothing about it.

    ``efforts`` are the levels such a model knows; ``()`` means that it takes none at all.
    """

    contains: str
    temperature: TemperatureRule | None = None
    max_tokens: int | None = None
    efforts: Efforts | None = None


class FieldRules(msgspec.Struct, frozen=True, kw_only=True):
    """What goes into the usual fields; of ``models`` the first rule with a word on one wins.

    ``drop`` are fields that are taken out of every body. ``structured_output`` says where the
    answer's schema goes: "none" leaves it to words. ``stream_usage`` asks for counts in a stream.
    """

    temperature: TemperatureRule = "caller"
    max_tokens: int | None = None
    max_tokens_field: str = "max_tokens"
    efforts: Efforts | None = None
    models: tuple[ModelRule, ...] = ()
    drop: frozenset[str] = frozenset()
    structured_output: Literal["json_schema", "json_object", "tool", "none"] = "json_schema"
    prompt_cache_key: bool = False
    stream_usage: bool = True
