"""Open the backend that the user's settings choose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec
from returns.result import Result

from webseam.kernel.planner.selection import Capability
from webseam.ports.errors import WebError

from ...planning.open_backends import OpenBackend
from ...plugins.plugin_choice import plugin_session
from ...wiring.backend_choice import choose_backend
from ...wiring.backend_rows import Root
from ...wiring.root import read_root


def configured_backend(
    capability: Capability,
    *,
    named: str | None = None,
    route: Sequence[str] = (),
    cached: bool = True,
) -> Result[OpenBackend, WebError]:
    """Return the open backend that settings and environment choose for a task.

    The command line uses the same one. Close it with ``aclose``. A ``route`` such as
    ``["brave", "searxng+exa"]`` asks its backends in turn, and those joined by + together.
    """

    def open_backend(root: Root) -> Result[OpenBackend, WebError]:
        plugged = msgspec.structs.replace(root, session=partial(plugin_session, root))
        chosen = choose_backend(capability, plugged, backend_name=named, route=route, cached=cached)
        return chosen.map(lambda answering: answering.backend)

    return read_root().bind(open_backend)
