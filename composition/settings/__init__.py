"""Settings: their sources, their types, and the origin of each value."""

from .checks import policy_of
from .loader import load_settings
from .schema import Settings

__all__ = ["Settings", "load_settings", "policy_of"]
