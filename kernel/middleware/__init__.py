"""Run middleware and hooks as folds over callbacks; awaiting them is the only effect."""

from .execution import CallEnded, Execution, Recovery, execute_middleware_chain
from .hooks import (
    Directive,
    first_hook_directive,
    hook_modified_args,
    hook_replacement_text,
    notify_hooks,
)
from .rewrites import CallContext, RewrittenRequest, add_aliases, drop_aliases, rewrite_request

__all__ = [
    "CallContext",
    "CallEnded",
    "Directive",
    "Execution",
    "Recovery",
    "RewrittenRequest",
    "add_aliases",
    "drop_aliases",
    "execute_middleware_chain",
    "first_hook_directive",
    "hook_modified_args",
    "hook_replacement_text",
    "notify_hooks",
    "rewrite_request",
]
