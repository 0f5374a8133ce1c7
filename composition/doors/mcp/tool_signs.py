"""Signs of optional tools, found without loading the settings."""

from collections.abc import Mapping
from pathlib import Path

from ...settings.file_locations import FileLocations

# Every setting and variable that makes ``web_ask`` or ``x_search`` ready has one of these in its
# name, and so has the one that changes what a tool returns. A backslash may spell any of them in a
# settings file.
_SIGNS = ("ask", "xai", "x_search", "result_form")
_FILE_SIGNS = (*_SIGNS, "\\")


def has_optional_tool_signs(
    environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> bool:
    """Tell whether a variable or a settings file may make an optional tool ready, or change tools.

    False is certain: then the settings need not be loaded to list the tools.
    """
    files = FileLocations(environment)
    config = files.config_file
    locations = (config, config.parent / ".env", (folder or Path()) / ".env")
    names = " ".join(files.variables).lower()
    return any(sign in names for sign in _SIGNS) or any(map(_has_file_signs, locations))


def _has_file_signs(file: Path) -> bool:
    try:
        text = file.read_text("utf-8").lower()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return any(sign in text for sign in _FILE_SIGNS)
