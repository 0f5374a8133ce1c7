"""Settings: where they are given, what they may be, and where each value came from."""

from .checking import policy_of
from .loading import load_settings
from .shapes import Settings

__all__ = ["Settings", "load_settings", "policy_of"]
