"""Parse routes: the order of backends, and groups that are asked together."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidQuery, InvalidSetting

MAX_STEPS = 20

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]


class RouteStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One backend, or several that are asked at once and whose rows are fused.

    ``quorum`` answers suffice; after ``patience`` seconds one does. A member that fails is left
    out, unless the step is ``strict``. ``weights`` are the weights of the members' votes.
    """

    fuse: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=MAX_STEPS)]
    quorum: Annotated[int, Meta(ge=1)] | None = None
    patience: Annotated[float, Meta(gt=0, le=3600)] | None = None
    strict: bool = False
    weights: Mapping[str, Annotated[float, Meta(gt=0, le=1000)]] = {}


Route: TypeAlias = tuple[RouteStep, ...]


def read_route(entries: Sequence[object]) -> Result[Route, str]:
    """Parse a written route, or return what is wrong with it.

    Each entry is a name, several names joined by ``+`` that are asked at once, or a block.

    >>> [step.fuse for step in read_route(["brave", "searxng+exa"]).unwrap()]
    [('brave',), ('searxng', 'exa')]
    """
    if len(entries) > MAX_STEPS:
        return Failure(f"has more than {MAX_STEPS} steps")
    steps: list[RouteStep] = []
    for entry in entries:
        step = _parse_step(entry)
        if isinstance(step, str):
            return Failure(step)
        steps.append(step)
    names = [name for step in steps for name in step.fuse]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    return Success(tuple(steps)) if duplicate is None else Failure(f"names {duplicate} twice")


class ModelStep(msgspec.Struct, frozen=True):
    """One model of a route: a provider and one of its models; None is the provider's default."""

    provider: str
    model: str | None = None


def read_model_route(entries: Sequence[str]) -> Result[tuple[ModelStep, ...], str]:
    """Parse a written route of models, or return what is wrong with it.

    Each entry is a provider, optionally followed by a slash and one of its models.

    >>> read_model_route(["anthropic", "openrouter/meta/llama"]).unwrap()[1]
    ModelStep(provider='openrouter', model='meta/llama')
    """
    if len(entries) > MAX_STEPS:
        return Failure(f"has more than {MAX_STEPS} steps")
    parts = [entry.partition("/") for entry in entries]
    steps = [ModelStep(name.strip().lower(), model.strip() or None) for name, _, model in parts]
    if not all(step.provider for step in steps):
        return Failure("has an empty name in it")
    unnamed = next((name for name, slash, model in parts if slash and not model.strip()), None)
    if unnamed is not None:
        return Failure(f"{unnamed}/ names no model behind the slash")
    duplicate = next((entries[i] for i, step in enumerate(steps) if step in steps[:i]), None)
    return Success(tuple(steps)) if duplicate is None else Failure(f"names {duplicate} twice")


def route_error(reason: str, setting: str, origin: str | None) -> InvalidQuery | InvalidSetting:
    """Return the error of a route from the settings, or, without a ``origin``, from the caller.

    >>> route_error("names a twice", "route", None).message
    'route: names a twice.'
    """
    if origin is None:
        return InvalidQuery(field="route", reason=reason)
    return InvalidSetting(setting=setting, place=origin, reason=reason)


def route_text(route: Route) -> str:
    """Return a route as one line of text.

    >>> route_text((RouteStep(fuse=("a",)), RouteStep(fuse=("b", "c"))))
    'a, b+c'
    """
    return ", ".join("+".join(step.fuse) for step in route)


def _parse_step(entry: object) -> RouteStep | str:
    if isinstance(entry, RouteStep):
        return _check_step(entry)
    if isinstance(entry, str):
        names = tuple(name.strip().lower() for name in entry.split("+"))
        return RouteStep(fuse=names) if all(names) else "has an empty name in it"
    try:
        step = msgspec.convert(entry, RouteStep, strict=False)
    except msgspec.ValidationError as error:
        return f"must be names, or blocks such as {{fuse: [a, b], quorum: 1}} ({error})"
    return _check_step(step)


def _check_step(step: RouteStep) -> RouteStep | str:
    """Return a step with its names in lower case, or what is wrong with it."""
    names = tuple(name.strip().lower() for name in step.fuse)
    weights = {name.strip().lower(): weight for name, weight in step.weights.items()}
    unlisted = next((name for name in weights if name not in names), None)
    if unlisted is not None:
        return f"has a weight for {unlisted}, which is not in that step"
    if (step.quorum or 0) > len(names):
        return f"requires {step.quorum} answers from {len(names)} backends"
    return msgspec.structs.replace(step, fuse=names, weights=weights)
