"""What keeps parsers and the browser in, on this machine: tried, not guessed."""

import asyncio
import os

from returns.result import Failure

from ...adapters.browser.browser_command import find_browser
from ...adapters.browser.deps import RenderLimits
from ...adapters.browser.process import Launch, start_browser
from ...adapters.browser.renderer import is_watchable
from ...adapters.pages.settings import BrowserSettings
from ...adapters.pages.workers.limits import WorkerLimits
from ...adapters.pages.workers.pool import CONVERTER
from ...adapters.pages.workers.process import WorkerProcess
from ...adapters.pages.workers.sandbox import Confinement
from ..health.health_parts import Sandboxes

_NETWORKS = {
    "namespace": "a network of its own",
    "tcp+udp": "TCP to the proxy alone (Landlock) and no datagrams (seccomp)",
    "tcp": "TCP to the proxy alone (Landlock), datagrams not refused",
    "udp": "no datagrams (seccomp), TCP not refused",
    "none": "flags alone keep it to the proxy",
}


def examine_sandboxes(settings: BrowserSettings) -> Sandboxes:
    """Start a worker, and a browser's launcher, and say what could be shut behind them."""
    return Sandboxes(parsers=_of_parsers(), browser=asyncio.run(_of_browser(settings)))


def _of_parsers() -> str:
    try:
        worker = WorkerProcess(CONVERTER, WorkerLimits())
    except OSError as error:
        return f"no worker starts: {error.strerror}"
    ready = worker.is_ready()
    worker.end()
    return _in_words(worker.confinement) if ready else "no worker starts"


def _in_words(walls: Confinement) -> str:
    """Say which walls stand.

    >>> _in_words(Confinement(7, seccomp=True, proven=True))
    'Landlock 7 and seccomp: no file, socket or program'
    """
    names = [f"Landlock {walls.landlock}"] if walls.landlock else []
    names += ["seccomp"] if walls.seccomp else []
    if not names:
        return "limits alone; neither Landlock nor seccomp is to be had"
    return f"{' and '.join(names)}: {'no file, socket or program' if walls.proven else 'in part'}"


async def _of_browser(settings: BrowserSettings) -> str:
    program = find_browser(settings.browser, os.environ)
    if isinstance(program, Failure):
        return "there is none"
    launch = Launch(program.unwrap(), settings.sandbox, os.environ, 1, RenderLimits().memory_bytes)
    try:
        async with start_browser(launch) as browser:
            network = _NETWORKS.get(browser.network, browser.network)
            grouped = browser.group is not None
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    own = "its own sandbox" if settings.sandbox else "without its own sandbox"
    counts = [*(["a cgroup"] if grouped else []), *(["a watchdog"] if is_watchable() else [])]
    return f"{network}, {own}, memory bounded by {' and '.join(counts) or 'nothing'}"
