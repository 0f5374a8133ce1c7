"""Where files of ours are kept, by platform."""

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

INDEX_SETTING = "WEBSEAM_INDEX"
_NAME = "webseam"
_IS_XDG = sys.platform not in ("darwin", "win32")
# Where nothing is and nothing can be made, as system users have it.
_NO_HOME = Path("/nonexistent")


def environment_variables(environment: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the variables that were given, else those of the process.

    No default argument holds these: documentation tools print defaults, keys and all.
    """
    return os.environ if environment is None else environment


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder for what can be made again: ``$WEBSEAM_CACHE``, else the platform's."""
    environment = environment_variables(environment)
    named = environment.get("WEBSEAM_CACHE", "").strip()
    return Path(named) if named else _platform_cache(environment)


def config_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the settings file: ``$WEBSEAM_CONFIG``, else the platform's."""
    environment = environment_variables(environment)
    named = environment.get("WEBSEAM_CONFIG", "").strip()
    return Path(named) if named else _platform_config(environment) / "config.yaml"


def settings_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the user's own settings, for what is kept beside them.

    A settings file that is named by a relative path is the working folder's, whichever that is.
    """
    file = config_file(environment)
    return file.parent if file.is_absolute() else _platform_config(environment)


def index_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the file of the document index: ``$WEBSEAM_INDEX``, else the platform's."""
    environment = environment_variables(environment)
    named = environment.get(INDEX_SETTING, "").strip()
    return Path(named) if named else _platform_data(environment) / "index.sqlite"


def index_path(path_text: str | None, environment: Mapping[str, str] | None = None) -> Path:
    """Return the index that an option names, else the usual one."""
    return Path(path_text) if path_text else index_file(environment)


def ledger_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the file of spending and health: ``$WEBSEAM_LEDGER``, else the platform's."""
    environment = environment_variables(environment)
    named = environment.get("WEBSEAM_LEDGER", "").strip()
    return Path(named) if named else _platform_data(environment) / "ledger.sqlite"


def keys_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the file of the gateway's keys: ``$WEBSEAM_KEYS``, else the platform's."""
    environment = environment_variables(environment)
    named = environment.get("WEBSEAM_KEYS", "").strip()
    return Path(named) if named else _platform_data(environment) / "keys.sqlite"


def plugins_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder that plugins of the user's own are put into."""
    return _platform_data(environment) / "plugins"


def trust_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the records that say which working folders the user trusts."""
    return _platform_data(environment) / "trusted"


def last_response_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the file that remembers which answer can be gone on from."""
    return _platform_data(environment) / "last_response"


def reading_places_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the file that remembers where somebody stopped in each text, beside the texts."""
    return cache_folder(environment) / "reading_places.json"


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the user's own folder; one where nothing is for a user whom nobody knows."""
    environment = environment_variables(environment)
    named = environment.get("HOME") or environment.get("USERPROFILE")
    try:
        home = Path(named) if named else _system_home()
        # What is relative would be wherever one happens to stand.
        return home if home.is_absolute() else _NO_HOME
    except (KeyError, RuntimeError):
        # A user whom this machine does not know, as containers have them.
        return _NO_HOME


def _system_home() -> Path:
    # To Python an empty HOME is the root of all folders, where nothing of a user's belongs.
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


def _platform_data(environment: Mapping[str, str] | None) -> Path:
    if _IS_XDG:
        named = _absolute(environment, "XDG_DATA_HOME")
        return (named or home_folder(environment) / ".local" / "share") / _NAME
    return _platform().user_data_path


def _platform_cache(environment: Mapping[str, str] | None) -> Path:
    if _IS_XDG:
        named = _absolute(environment, "XDG_CACHE_HOME")
        return (named or home_folder(environment) / ".cache") / _NAME
    return _platform().user_cache_path


def _platform_config(environment: Mapping[str, str] | None) -> Path:
    if _IS_XDG:
        named = _absolute(environment, "XDG_CONFIG_HOME")
        return (named or home_folder(environment) / ".config") / _NAME
    return _platform().user_config_path


def _absolute(environment: Mapping[str, str] | None, name: str) -> Path | None:
    """Return the folder that a variable names; a relative one is to be ignored.

    XDG Base Directory Specification 0.8, "Basics" (read 2026-11-15).
    """
    named = Path(environment_variables(environment).get(name, ""))
    return named if named.is_absolute() else None


def _platform() -> "PlatformDirs":
    """Return what macOS and Windows know: the latter asks the system, not only its variables.

    Elsewhere the XDG rules are three lines, and loading this at every start takes more than half
    as long as ``import webseam`` (54 ms beside 87 on a busy machine, 2026-11-15).
    ``opinion`` would put a folder ``Cache`` below ours on Windows, ``appauthor`` one above.
    """
    from platformdirs import PlatformDirs  # noqa: PLC0415

    return PlatformDirs(_NAME, appauthor=False, roaming=True, opinion=False)
