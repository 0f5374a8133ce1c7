"""Where the files of webseam are, by platform."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

INDEX_SETTING = "WEBSEAM_INDEX"
_NAME = "webseam"
_IS_XDG = sys.platform not in ("darwin", "win32")
# Where nothing is and nothing can be made, as system users have it.
_NO_HOME = Path("/nonexistent")


class FileLocations(NamedTuple):
    """Where each file of webseam is, for the variables of one environment.

    Without ``environment`` the variables of the process count when a location is read. No default
    argument holds these: documentation tools print defaults, keys and all.
    """

    environment: Mapping[str, str] | None = None

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables that count."""
        return os.environ if self.environment is None else self.environment

    @property
    def cache_folder(self) -> Path:
        """The folder for what can be made again: ``$WEBSEAM_CACHE``, else the platform's."""
        return self._named("WEBSEAM_CACHE") or self._platform_cache()

    @property
    def config_file(self) -> Path:
        """The settings file: ``$WEBSEAM_CONFIG``, else the platform's."""
        return self._named("WEBSEAM_CONFIG") or self._platform_config() / "config.yaml"

    @property
    def settings_folder(self) -> Path:
        """The folder of the user's settings, for files beside them.

        A settings file that is named by a relative path belongs to the working folder.
        """
        file = self.config_file
        return file.parent if file.is_absolute() else self._platform_config()

    @property
    def index_file(self) -> Path:
        """The file of the document index: ``$WEBSEAM_INDEX``, else the platform's."""
        return self._named(INDEX_SETTING) or self._platform_data() / "index.sqlite"

    @property
    def ledger_file(self) -> Path:
        """The file of spending and health: ``$WEBSEAM_LEDGER``, else the platform's."""
        return self._named("WEBSEAM_LEDGER") or self._platform_data() / "ledger.sqlite"

    @property
    def keys_file(self) -> Path:
        """The file of the gateway's keys: ``$WEBSEAM_KEYS``, else the platform's."""
        return self._named("WEBSEAM_KEYS") or self._platform_data() / "keys.sqlite"

    @property
    def plugins_folder(self) -> Path:
        """The folder of the user's own plugins."""
        return self._platform_data() / "plugins"

    @property
    def trust_folder(self) -> Path:
        """The folder of the records that say which working folders the user trusts."""
        return self._platform_data() / "trusted"

    @property
    def last_response_file(self) -> Path:
        """The file with the last response of X, which a next question can continue."""
        return self._platform_data() / "last_response"

    @property
    def reading_positions_file(self) -> Path:
        """The file with the reading position in each text, beside the texts."""
        return self.cache_folder / "reading_places.json"

    @property
    def home_folder(self) -> Path:
        """The user's home; a folder that does not exist for a user without one."""
        named = self.variables.get("HOME") or self.variables.get("USERPROFILE")
        try:
            home = Path(named) if named else _system_home()
            # A relative home would be wherever the process happens to stand.
            return home if home.is_absolute() else _NO_HOME
        except (KeyError, RuntimeError):
            # Containers run users whom the machine does not know.
            return _NO_HOME

    def _named(self, variable: str) -> Path | None:
        path_text = self.variables.get(variable, "").strip()
        return Path(path_text) if path_text else None

    def _platform_data(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_DATA_HOME", ".local/share")
        return _platform().user_data_path

    def _platform_cache(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_CACHE_HOME", ".cache")
        return _platform().user_cache_path

    def _platform_config(self) -> Path:
        if _IS_XDG:
            return self._xdg_folder("XDG_CONFIG_HOME", ".config")
        return _platform().user_config_path

    def _xdg_folder(self, variable: str, default: str) -> Path:
        """Return the folder that a variable names; a relative one is to be ignored.

        XDG Base Directory Specification 0.8, "Basics" (read 2026-11-15).
        """
        named = Path(self.variables.get(variable, ""))
        return (named if named.is_absolute() else self.home_folder / default) / _NAME


# The locations for the variables of the process.
PROCESS_FILES = FileLocations()


def _system_home() -> Path:
    # To Python an empty HOME means the root of the file system, where nothing of a user belongs.
    if os.environ.get("HOME") == "" and os.name == "posix":
        import pwd  # noqa: PLC0415  not on Windows

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    return Path.home()


def exists(path: Path) -> bool:
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


def _platform() -> "PlatformDirs":
    """Return what macOS and Windows know: the latter asks the system, not only its variables.

    Elsewhere the XDG rules are three lines, and loading this at every start takes more than half
    as long as ``import webseam`` (54 ms beside 87 on a busy machine, 2026-11-15).
    ``opinion`` would put a folder ``Cache`` below ours on Windows, ``appauthor`` one above.
    """
    from platformdirs import PlatformDirs  # noqa: PLC0415

    return PlatformDirs(_NAME, appauthor=False, roaming=True, opinion=False)
