"""Plugins: found, chosen by the user, loaded, and what they registered."""

from .plugin_choice import load_plugins
from .report import LoadedPlugins

__all__ = ["LoadedPlugins", "load_plugins"]
