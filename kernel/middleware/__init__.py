"""Middleware and observers as folds over callbacks: pure but for awaiting them."""

from .call_context import CallContext, with_aliases, without_aliases
from .directives import Directive, first_directive, modified_args, replacement_text
from .execution import CallEnded, Execution, Recovery, execute_chain
from .hooks import notify_hooks
from .rewrites import RewrittenRequest, rewrite_request

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
