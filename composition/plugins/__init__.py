"""Plugins: found, chosen by the user, loaded, and what they registered."""

from .host import Loaded, load_plugins

__all__ = ["Loaded", "load_plugins"]
