"""The renderer, put together from the policy, the fetcher's parts and the machine's browser."""

import os
import time
from collections.abc import Mapping

import msgspec

from ..adapters.pages.browser import BrowserSettings, Renderer, RenderLimits
from ..adapters.pages.fetch import FetchLimits, Resolve, Surroundings, system_resolve
from ..kernel.policy import Policy
from .fetching import make_guard


def make_renderer(
    policy: Policy,
    settings: BrowserSettings | None = None,
    *,
    limits: RenderLimits | None = None,
    resolve: Resolve = system_resolve,
    environment: Mapping[str, str] | None = None,
) -> Renderer:
    """Return a renderer whose browser goes where ``policy`` allows, and nowhere else.

    A page on the public internet is kept there, whatever ``policy`` opens beyond it.
    """
    unopened = msgspec.structs.replace(policy, allow_private=(), allow_hosts=())
    return Renderer(
        Surroundings(
            guard=make_guard(policy), resolve=resolve, now=time.time, limits=FetchLimits()
        ),
        make_guard(unopened),
        settings=settings or BrowserSettings(),
        limits=limits or RenderLimits(),
        environment=os.environ if environment is None else environment,
    )
