"""Plugins: found, chosen by the user, loaded, and what they registered."""

from .host import load_plugins
from .report import Loaded

__all__ = ["Loaded", "load_plugins"]
