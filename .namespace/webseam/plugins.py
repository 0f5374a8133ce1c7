"""What a plugin is written with: what it registers, and how it fails a call in typed words."""

from .composition.plugins.context import PluginContext
from .ports.middleware import Callbacks, Caller, CallFailed, Hook, Middleware, Mishap

__all__ = [
    "CallFailed",
    "Callbacks",
    "Caller",
    "Hook",
    "Middleware",
    "Mishap",
    "PluginContext",
]
