"""Where files of ours are kept, by platform."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

# Where nothing is and nothing can be made, as system users have it.
_NO_HOME = Path("/nonexistent")


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for what can be made again: ``$WEBSEAM_CACHE``, else the platform's."""
    named = environment.get("WEBSEAM_CACHE", "").strip()
    return Path(named) if named else _platform_cache(environment) / "webseam"


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the settings file: ``$WEBSEAM_CONFIG``, else the platform's."""
    named = environment.get("WEBSEAM_CONFIG", "").strip()
    return Path(named) if named else _platform_config(environment) / "webseam" / "config.yaml"


def index_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the document index: ``$WEBSEAM_INDEX``, else the platform's."""
    named = environment.get("WEBSEAM_INDEX", "").strip()
    return Path(named) if named else _platform_data(environment) / "webseam" / "index.sqlite"


def plugins_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that plugins of the user's own are put into."""
    return _platform_data(environment) / "webseam" / "plugins"


def last_response_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that remembers which answer can be gone on from."""
    return _platform_data(environment) / "webseam" / "last_response"


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's own folder; one where nothing is for a user whom nobody knows."""
    named = environment.get("HOME") or environment.get("USERPROFILE")
    try:
        return Path(named) if named else Path.home()
    except RuntimeError:
        # A user whom this machine does not know, as containers have them.
        return _NO_HOME


def is_there(path: Path) -> bool:
    """Tell whether something is there, as far as this user may see."""
    return _mode(path) is not None


def is_file(path: Path) -> bool:
    """Tell whether a file is there, as far as this user may see."""
    return stat.S_ISREG(_mode(path) or 0)


def _mode(path: Path) -> int | None:
    # Path.exists() and its like raise for a closed folder and for a name that is too long.
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _platform_data(environment: Mapping[str, str]) -> Path:
    if sys.platform in ("darwin", "win32"):
        return _platform_config(environment)
    return Path(environment.get("XDG_DATA_HOME") or home_folder(environment) / ".local" / "share")


def _platform_cache(environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home_folder(environment) / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(
            environment.get("LOCALAPPDATA") or home_folder(environment) / "AppData" / "Local"
        )
    return Path(environment.get("XDG_CACHE_HOME") or home_folder(environment) / ".cache")


def _platform_config(environment: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home_folder(environment) / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(environment.get("APPDATA") or home_folder(environment) / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home_folder(environment) / ".config")
