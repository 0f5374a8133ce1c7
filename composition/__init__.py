"""The only place that knows everything: it chooses the parts and puts them together.

Names load on first use: a command, a test plugin, should not pay for HTTP that it does not speak.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .backends import json_backend
    from .models import chat_model, provider_model
    from .pages import pages_backend, read_html
    from .root import configured_backend
    from .services import service_backend
    from .toolbox import open_toolbox

__all__ = [
    "chat_model",
    "configured_backend",
    "json_backend",
    "open_toolbox",
    "pages_backend",
    "provider_model",
    "read_html",
    "service_backend",
]

_HOMES = {
    "chat_model": "models",
    "configured_backend": "root",
    "json_backend": "backends",
    "open_toolbox": "toolbox",
    "pages_backend": "pages",
    "provider_model": "models",
    "read_html": "pages",
    "service_backend": "services",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
