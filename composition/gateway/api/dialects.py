"""Every dialect: the files and folders of ``adapters/gateway/dialects``, found by name."""

import pkgutil
from importlib import import_module

from ....adapters.gateway import dialects
from ....adapters.gateway.gateway_requests import Dialect


def all_dialects() -> tuple[Dialect, ...]:
    """Return the dialects, each out of the file or folder of its name."""
    names = sorted(file.name for file in pkgutil.iter_modules(dialects.__path__))
    return tuple(import_module(f"{dialects.__name__}.{name}").DIALECT for name in names)
