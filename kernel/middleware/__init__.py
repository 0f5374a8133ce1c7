"""Middleware and observers as folds over callbacks: pure but for awaiting them."""

from .directives import Directive, directive_in, modified_args, replacement_text
from .execution import Ended, Execution, Recovery, execute
from .observers import notify
from .rewrites import Rewritten, rewrite
from .situation import Situation, shown, taken

__all__ = [
    "Directive",
    "Ended",
    "Execution",
    "Recovery",
    "Rewritten",
    "Situation",
    "directive_in",
    "execute",
    "modified_args",
    "notify",
    "replacement_text",
    "rewrite",
    "shown",
    "taken",
]
