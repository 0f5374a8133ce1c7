"""Settings: their sources, their types, and the origin of each value."""

from .checks import settings_policy
from .loader import load_settings
from .schema import Settings

__all__ = ["Settings", "load_settings", "settings_policy"]
