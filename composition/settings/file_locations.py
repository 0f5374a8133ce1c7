"""Where the files of webseam are, by platform."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

INDEX_VARIABLE = "WEBSEAM_INDEX"
FILE_VARIABLES = (
    "WEBSEAM_CACHE", "WEBSEAM_CONFIG", INDEX_VARIABLE, "WEBSEAM_KEYS", "WEBSEAM_LEDGER",
)  # fmt: skip
_APP_NAME = "webseam"
_IS_XDG = sys.platform not in ("darwin", "win32")
# System users have this home: it does not exist and cannot be created.
_MISSING_HOME = Path("/nonexistent")


class FileLocations(NamedTuple):
    """Where each file of webseam is, for the variables of one environment.

    Without ``environment``, each location reads the variables of the process. They are no default
    argument, because documentation tools print defaults, including keys.
    """

    environment: Mapping[str, str] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables of this environment."""
        return os.environ if self.environment is None else self.environment

    @property
    def cache_folder(self) -> Path:
        """The folder for disposable files: ``$WEBSEAM_CACHE``, else the platform's."""
        return self._variable_path("WEBSEAM_CACHE") or self._cache_root()

    @property
    def config_file(self) -> Path:
        """The settings file: ``$WEBSEAM_CONFIG``, else the platform's."""
        return self._variable_path("WEBSEAM_CONFIG") or self._config_root() / "config.yaml"

    @property
    def settings_folder(self) -> Path:
        """The folder of the user's settings, for files beside them.

        A settings file that is named by a relative path belongs to the working folder.
        """
        file = self.config_file
        return file.parent if file.is_absolute() else self._config_root()

    @property
    def index_file(self) -> Path:
        """The file of the document index: ``$WEBSEAM_INDEX``, else the platform's."""
        return self._variable_path(INDEX_VARIABLE) or self._data_root() / "index.sqlite"

    @property
    def ledger_file(self) -> Path:
        """The file of spending and health: ``$WEBSEAM_LEDGER``, else the platform's."""
        return self._variable_path("WEBSEAM_LEDGER") or self._data_root() / "ledger.sqlite"

    @property
    def keys_file(self) -> Path:
        """The file of the gateway's keys: ``$WEBSEAM_KEYS``, else the platform's."""
        return self._variable_path("WEBSEAM_KEYS") or self._data_root() / "keys.sqlite"

    @property
    def plugins_folder(self) -> Path:
        """The folder of the user's own plugins."""
        return self._data_root() / "plugins"

    @property
    def rules_folder(self) -> Path:
        """The folder of the rules that were learned for sites."""
        return self._data_root() / "rules"

    @property
    def trust_folder(self) -> Path:
        """The folder of the records that say which working folders the user trusts."""
        return self._data_root() / "trusted"

    @property
    def last_response_file(self) -> Path:
        """The file with the last response of X, which a next question can continue."""
        return self._data_root() / "last_response"

    @property
    def reading_positions_file(self) -> Path:
        """The file with the reading position in each text, beside the texts."""
        return self.cache_folder / "reading_places.json"

    @property
    def home_folder(self) -> Path:
        """The user's home; a folder that does not exist for a user without one."""
        home_text = self.variables.get("HOME") or self.variables.get("USERPROFILE")
        try:
            home = Path(home_text) if home_text else _system_home()
            # A relative home would depend on the working folder.
            return home if home.is_absolute() else _MISSING_HOME
        except (KeyError, RuntimeError):
            # Containers run users without an entry in the user database.
            return _MISSING_HOME

    def _variable_path(self, variable: str) -> Path | None:
        path_text = self.variables.get(variable, "").strip()
        return Path(path_text) if path_text else None

    def _data_root(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_DATA_HOME", ".local/share")
        return _platform_dirs().user_data_path

    def _cache_root(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_CACHE_HOME", ".cache")
        return _platform_dirs().user_cache_path

    def _config_root(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_CONFIG_HOME", ".config")
        return _platform_dirs().user_config_path

    def _xdg_folder(self, variable: str, default: str) -> Path:
        """Return the folder that a variable names; ignore a relative one.

        XDG Base Directory Specification 0.8, "Basics" (read 2026-11-15).
        """
        folder = Path(self.variables.get(variable, ""))
        return (folder if folder.is_absolute() else self.home_folder / default) / _APP_NAME


# The locations for the variables of the process.
PROCESS_FILES = FileLocations()


def _system_home() -> Path:
    # Python reads an empty HOME as the root of the file system.
    if os.environ.get("HOME") == "" and sys.platform != "win32":
        import pwd  # not on Windows

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home()


def path_exists(path: Path) -> bool:
    """Tell whether a path exists; False if this user may not see it."""
    return _file_mode(path) is not None


def is_regular_file(path: Path) -> bool:
    """Tell whether a path is a file; False if this user may not see it."""
    return stat.S_ISREG(_file_mode(path) or 0)


def _file_mode(path: Path) -> int | None:
    # Path.exists() raises for an unreadable folder and for a name that is too long.
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None


def _platform_dirs() -> "PlatformDirs":
    """Return the folders of macOS or Windows.

    Other systems follow the XDG rules without this import, which takes more than half as long as
    ``import webseam`` (54 ms against 87 on a busy machine, 2026-11-15).
    ``opinion`` would put a folder ``Cache`` below ours on Windows, ``appauthor`` one above.
    """
    from platformdirs import PlatformDirs

    return PlatformDirs(_APP_NAME, appauthor=False, roaming=True, opinion=False)
