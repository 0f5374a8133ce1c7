"""The renderer: a browser behind the policy of the pages."""

import asyncio
import os
import time

import msgspec
from returns.result import Failure

from webseam.adapters.features.browser.browser_command import find_browser
from webseam.adapters.features.browser.deps import OnRefused, RenderDeps, RenderLimits
from webseam.adapters.features.browser.process import Launch, start_browser
from webseam.adapters.features.browser.renderer import Renderer, can_watch_memory
from webseam.adapters.pages.fetch.connect import FetchDeps, Resolve, system_resolve
from webseam.adapters.pages.settings import BrowserSettings
from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import CONVERTER
from webseam.adapters.pages.workers.process import WorkerProcess
from webseam.adapters.pages.workers.sandbox import Confinement
from webseam.kernel.policy.policy_rules import Policy

from ...health.health_parts import Sandboxes
from ...wiring.pages import make_guard

_NETWORK_TEXTS = {
    "namespace": "a network of its own",
    "tcp+udp": "TCP to the proxy alone (Landlock) and no datagrams (seccomp)",
    "tcp": "TCP to the proxy alone (Landlock), datagrams not refused",
    "udp": "no datagrams (seccomp), TCP not refused",
    "none": "flags alone keep it to the proxy",
}


def make_renderer(
    policy: Policy,
    settings: BrowserSettings | None = None,
    *,
    limits: RenderLimits | None = None,
    seconds: float | None = None,
    resolve: Resolve = system_resolve,
    on_refused: OnRefused = lambda _: None,
) -> Renderer:
    """Return a renderer whose browser goes where ``policy`` allows, and nowhere else.

    A page on the public internet is kept there, whatever ``policy`` opens beyond it. ``seconds``
    replaces the time limit of a rendering.
    """
    render_limits = limits or RenderLimits()
    if seconds is not None:
        render_limits = msgspec.structs.replace(render_limits, deadline=seconds)
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
            limits=render_limits,
        )
    )


def examine_sandboxes(settings: BrowserSettings) -> Sandboxes:
    """Start a worker and a browser, and return the sandbox of each."""
    return Sandboxes(parsers=_parser_sandbox(), browser=asyncio.run(_browser_sandbox(settings)))


def _parser_sandbox() -> str:
    try:
        worker = WorkerProcess(CONVERTER, WorkerLimits())
    except OSError as error:
        return f"no worker starts: {error.strerror}"
    ready = worker.is_ready()
    worker.end()
    return _confinement_text(worker.confinement) if ready else "no worker starts"


def _confinement_text(confinement: Confinement) -> str:
    """Return the active confinement in words.

    >>> _confinement_text(Confinement(7, seccomp=True, proven=True))
    'Landlock 7 and seccomp: no file, socket or program'
    """
    names = [f"Landlock {confinement.landlock}"] if confinement.landlock else []
    names += ["seccomp"] if confinement.seccomp else []
    if not names:
        return "limits alone; neither Landlock nor seccomp is available"
    effect = "no file, socket or program" if confinement.proven else "in part"
    return f"{' and '.join(names)}: {effect}"


async def _browser_sandbox(settings: BrowserSettings) -> str:
    if isinstance(program := find_browser(settings.browser, os.environ), Failure):
        return "there is none"
    launch = Launch(program.unwrap(), settings.sandbox, os.environ, 1, RenderLimits().memory_bytes)
    try:
        async with start_browser(launch) as browser:
            network = _NETWORK_TEXTS.get(browser.network, browser.network)
            has_cgroup = browser.group is not None
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    sandbox = "its own sandbox" if settings.sandbox else "without its own sandbox"
    limits = [
        *(["a cgroup"] if has_cgroup else []),
        *(["a watchdog"] if can_watch_memory() else []),
    ]
    return f"{network}, {sandbox}, memory bounded by {' and '.join(limits) or 'nothing'}"
