"""Discover, choose and load plugins, and collect what they register."""

from .plugin_choice import load_plugins
from .report import LoadedPlugins

__all__ = ["LoadedPlugins", "load_plugins"]
