"""Shapes of answers that many instances share, as services declare them in their own files."""

import functools
import pkgutil
from collections.abc import Mapping
from importlib import import_module

from .. import services
from ..http.service import Service

_MERGED = ("parameters", "fields", "headers")


@functools.cache
def presets() -> Mapping[str, Mapping[str, object]]:
    """Return every shape by the names of its service."""
    modules = (
        import_module(f"{services.__name__}.{each.name}")
        for each in pkgutil.iter_modules(services.__path__)
    )
    found = (getattr(module, "SERVICE", None) for module in modules)
    return {
        name: service.preset
        for service in found
        if isinstance(service, Service) and service.preset
        for name in (service.name, *service.aliases)
    }


def with_preset(block: Mapping[str, object], preset: Mapping[str, object]) -> dict[str, object]:
    """Return a block on top of a shape: parameters, fields and headers one by one.

    >>> with_preset({"fields": {"url": "link"}}, {"path": "/s", "fields": {"title": "name"}})
    {'path': '/s', 'fields': {'title': 'name', 'url': 'link'}}
    """
    merged = {**preset, **block}
    for name in _MERGED:
        below, above = preset.get(name), block.get(name)
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged[name] = {**below, **above}
    return merged
