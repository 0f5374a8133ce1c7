"""Profiles of AWS: keys and a region that files in the user's own folder hold under a name."""

import configparser
from collections.abc import Mapping
from pathlib import Path

from ...file_locations import home_folder

PROFILE = "AWS_PROFILE"
_KEYS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")


def with_profile(variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables, and what the profile they name adds to them; they come first."""
    name = variables.get(PROFILE, "").strip()
    if not name:
        return variables
    folder = home_folder(variables) / ".aws"
    config = _file(variables, "AWS_CONFIG_FILE", folder / "config")
    shared = _file(variables, "AWS_SHARED_CREDENTIALS_FILE", folder / "credentials")
    # The file of credentials says "prod", the one of settings "profile prod".
    section = _section(config, name if name == "default" else f"profile {name}")
    section |= _section(shared, name)
    added = dict(variables)
    if not any(variables.get(key.upper(), "").strip() for key in _KEYS[:2]):
        added |= {key.upper(): section[key] for key in _KEYS if section.get(key)}
    if section.get("region") and not any(variables.get(each, "").strip() for each in _REGIONS):
        added["AWS_REGION"] = section["region"]
    return added


def _file(variables: Mapping[str, str], name: str, usual: Path) -> Path:
    named = variables.get(name, "").strip()
    return Path(named).expanduser() if named else usual


def _section(file: Path, name: str) -> dict[str, str]:
    """Return what a section of a file says; nothing where there is none, or it cannot be read."""
    parser = configparser.RawConfigParser(strict=False, default_section="")
    try:
        parser.read_string(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, configparser.Error):
        return {}
    return dict(parser[name]) if parser.has_section(name) else {}
