"""Where files of ours are kept, by platform."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for what can be made again: ``$WEBSEAM_CACHE``, else the platform's."""
    named = environment.get("WEBSEAM_CACHE", "").strip()
    return Path(named) if named else _platform_cache(environment) / "webseam"


def _platform_cache(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    return Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
