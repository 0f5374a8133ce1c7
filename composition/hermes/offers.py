"""What there is to offer to Hermes, as the settings stand: it asks often, and nothing is opened."""

from collections.abc import Mapping

from returns.result import Failure

from ...kernel.planner.selection import Capability
from ...ports.errors import NotConfigured
from ..wiring.backends.backend_choice import choose_row
from ..wiring.root import make_root


def is_offered_to_hermes(capability: Capability, environment: Mapping[str, str]) -> bool:
    """Tell whether a capability is offered: not where nothing at all is set up for it.

    What is set up in part, or wrongly, is offered. Hermes would ask somebody else instead, without
    a word; the call itself says what is missing.
    """
    root = make_root(environment)
    if isinstance(root, Failure):
        return True
    settings = root.unwrap().settings
    if settings.route or getattr(settings, f"{capability}_route"):
        return True
    chosen = choose_row(capability, root.unwrap())
    problem = chosen.failure() if isinstance(chosen, Failure) else None
    return not (isinstance(problem, NotConfigured) and problem.backend is None)
