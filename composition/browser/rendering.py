"""The renderer: a browser behind the policy of the pages."""

import os
import time

import msgspec

from ...adapters.browser.deps import OnRefused, RenderDeps, RenderLimits
from ...adapters.browser.renderer import Renderer
from ...adapters.pages.fetch.connect import FetchDeps, Resolve, system_resolve
from ...adapters.pages.settings import BrowserSettings
from ...kernel.policy.policy_rules import Policy
from ..wiring.pages import make_guard


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
