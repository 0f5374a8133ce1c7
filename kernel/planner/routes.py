"""A route in words: who is asked in which order, and who together."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, InvalidSetting

MAX_STEPS = 20

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]


class RouteStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One backend, or several that are asked at once and whose rows are fused.

    ``quorum`` answers are enough; after ``patience`` seconds one is. One that fails is left out,
    unless it is ``strict``. ``weights`` say how much each one's word counts.
    """

    fuse: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MAX_STEPS)]
    quorum: Annotated[int, Meta(ge=1)] | None = None
    patience: Annotated[float, Meta(gt=0, le=3600)] | None = None
    strict: bool = False
    weights: Mapping[str, Annotated[float, Meta(gt=0, le=1000)]] = {}


Route: TypeAlias = tuple[RouteStep, ...]


def read_route(words: Sequence[object]) -> Result[Route, str]:
    """Return the route that is written, or what is wrong with it.

    Each word is a name, several with ``+`` between them that are asked at once, or a block.

    >>> [step.fuse for step in read_route(["brave", "searxng+exa"]).unwrap()]
    [('brave',), ('searxng', 'exa')]
    """
    if len(words) > MAX_STEPS:
        return Failure(f"has more than {MAX_STEPS} steps")
    steps: list[RouteStep] = []
    for word in words:
        step = _step(word)
        if isinstance(step, str):
            return Failure(step)
        steps.append(step)
    names = [name for step in steps for name in step.fuse]
    twice = next((name for name in names if names.count(name) > 1), None)
    return Success(tuple(steps)) if twice is None else Failure(f"names {twice} twice")


class ModelStep(NamedTuple):
    """One model of a route: a provider, and which of its models; None is left to the provider."""

    provider: str
    model: str | None = None


def read_model_route(words: Sequence[str]) -> Result[tuple[ModelStep, ...], str]:
    """Return the route of models that is written, or what is wrong with it.

    Each word is a provider, or one of its models behind a slash.

    >>> read_model_route(["anthropic", "openrouter/meta/llama"]).unwrap()[1]
    ModelStep(provider='openrouter', model='meta/llama')
    """
    if len(words) > MAX_STEPS:
        return Failure(f"has more than {MAX_STEPS} steps")
    parts = [word.partition("/") for word in words]
    steps = [ModelStep(name.strip().lower(), model.strip() or None) for name, _, model in parts]
    if not all(step.provider for step in steps):
        return Failure("has an empty name in it")
    cut_off = next((name for name, slash, model in parts if slash and not model.strip()), None)
    if cut_off is not None:
        return Failure(f"{cut_off}/ names no model behind the slash")
    twice = next((words[i] for i, step in enumerate(steps) if step in steps[:i]), None)
    return Success(tuple(steps)) if twice is None else Failure(f"names {twice} twice")


def route_error(reason: str, setting: str, place: str | None) -> InvalidQuery | InvalidSetting:
    """Return what is wrong with a route: one of the settings, or without a ``place`` the caller's.

    >>> route_error("names a twice", "route", None).message
    'route: names a twice.'
    """
    if place is None:
        return InvalidQuery(field="route", reason=reason)
    return InvalidSetting(setting=setting, place=place, reason=reason)


def route_text(route: Route) -> str:
    """Return a route as it is written on one line.

    >>> route_text((RouteStep(fuse=("a",)), RouteStep(fuse=("b", "c"))))
    'a, b+c'
    """
    return ", ".join("+".join(step.fuse) for step in route)


def _step(word: object) -> RouteStep | str:
    if isinstance(word, RouteStep):
        return _checked(word)
    if isinstance(word, str):
        names = tuple(name.strip().lower() for name in word.split("+"))
        return RouteStep(fuse=names) if all(names) else "has an empty name in it"
    try:
        step = msgspec.convert(word, RouteStep, strict=False)
    except msgspec.ValidationError as error:
        return f"must be names, or blocks such as {{fuse: [a, b], quorum: 1}} ({error})"
    return _checked(step)


def _checked(step: RouteStep) -> RouteStep | str:
    """Return a block with its names in lower case, or what in it cannot be meant."""
    names = tuple(_lowered(name) for name in step.fuse)
    weights = {_lowered(name): weight for name, weight in step.weights.items()}
    stranger = next((name for name in weights if name not in names), None)
    if stranger is not None:
        return f"has a weight for {stranger}, who is not asked there"
    if (step.quorum or 0) > len(names):
        return f"wants {step.quorum} answers of {len(names)} that are asked"
    return msgspec.structs.replace(step, fuse=names, weights=weights)


def _lowered(name: str) -> str:
    return name.strip().lower()
