"""The renderer, put together from the policy, the fetcher's parts and the machine's browser."""

import os
import time

import msgspec

from ..adapters.pages.browser import OnRefused, RenderDeps, Renderer, RenderLimits
from ..adapters.pages.fetch import FetchDeps, Resolve, system_resolve
from ..adapters.pages.settings import BrowserSettings
from ..kernel.policy import Policy
from .fetching import make_guard


def make_renderer(
    policy: Policy,
    settings: BrowserSettings | None = None,
    *,
    limits: RenderLimits | None = None,
    resolve: Resolve = system_resolve,
    on_refused: OnRefused = lambda _: None,
) -> Renderer:
    """Return a renderer whose browser goes where ``policy`` allows, and nowhere else.

    A page on the public internet is kept there, whatever ``policy`` opens beyond it.
    """
    unopened = msgspec.structs.replace(policy, allow_private=(), allow_hosts=())
    return Renderer(
        RenderDeps(
            fetching=FetchDeps(
                guard=make_guard(policy), resolve=resolve, now=time.time, proxy=policy.proxy
            ),
            public=make_guard(unopened),
            environment=os.environ,
            on_refused=on_refused,
            settings=settings or BrowserSettings(),
            limits=limits or RenderLimits(),
        )
    )
