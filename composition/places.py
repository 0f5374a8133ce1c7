"""Where files of ours are kept, by platform."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder for what can be made again: ``$WEBSEAM_CACHE``, else the platform's."""
    named = environment.get("WEBSEAM_CACHE", "").strip()
    return Path(named) if named else _platform_cache(environment) / "webseam"


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the settings file: ``$WEBSEAM_CONFIG``, else the platform's."""
    named = environment.get("WEBSEAM_CONFIG", "").strip()
    return Path(named) if named else _platform_config(environment) / "webseam" / "config.yaml"


def index_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the local index: ``$WEBSEAM_INDEX``, else the platform's."""
    named = environment.get("WEBSEAM_INDEX", "").strip()
    return Path(named) if named else _platform_data(environment) / "webseam" / "index.sqlite"


def plugins_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that plugins of the user's own are put into."""
    return _platform_data(environment) / "webseam" / "plugins"


def last_response_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that remembers which answer can be gone on from."""
    return _platform_data(environment) / "webseam" / "last_response"


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's own folder."""
    return Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())


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
