"""Settings: where they are given, what they may be, and where each value came from."""

from .checks import policy_of
from .loader import load_settings
from .schema import Settings

__all__ = ["Settings", "load_settings", "policy_of"]
