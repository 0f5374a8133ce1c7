"""Run middleware and hooks as folds over callbacks; awaiting them is the only effect."""

from .execution import CallEnded, Execution, Recovery, execute_chain
from .hooks import Directive, first_directive, modified_args, notify_hooks, replacement_text
from .rewrites import CallContext, RewrittenRequest, rewrite_request, with_aliases, without_aliases

__all__ = [
    "CallContext",
    "CallEnded",
    "Directive",
    "Execution",
    "Recovery",
    "RewrittenRequest",
    "execute_chain",
    "first_directive",
    "modified_args",
    "notify_hooks",
    "replacement_text",
    "rewrite_request",
    "with_aliases",
    "without_aliases",
]
