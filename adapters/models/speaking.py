"""Which wire an API mode is spoken over: the file of that name in ``wires/``."""

from functools import cache
from importlib import import_module
from typing import cast

from .provider import ApiMode
from .wire import Wire


@cache
def wire_of(api_mode: ApiMode) -> Wire:
    """Return the wire; it is loaded when it is first spoken."""
    module = import_module(f".wires.{api_mode}", __package__)
    return cast("Wire", vars(module)[api_mode.upper()])
