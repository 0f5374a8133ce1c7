"""Which capabilities Hermes gets from webseam; Hermes asks often, so this opens nothing."""

from collections.abc import Mapping

from returns.result import Failure

from ...kernel.planner.selection import Capability
from ...ports.errors import NotConfigured
from ..wiring.backends.backend_choice import choose_row
from ..wiring.root import make_root


def is_offered_to_hermes(capability: Capability, environment: Mapping[str, str]) -> bool:
    """Tell whether a capability is offered: only not if nothing is set up for it.

    A partial or wrong setup is offered: otherwise Hermes would silently use another provider. The
    call itself then says what is missing.
    """
    root = make_root(environment)
    if isinstance(root, Failure):
        return True
    settings = root.unwrap().settings
    if settings.route or getattr(settings, f"{capability}_route"):
        return True
    choice = choose_row(capability, root.unwrap())
    problem = choice.failure() if isinstance(choice, Failure) else None
    return not (isinstance(problem, NotConfigured) and problem.backend is None)
