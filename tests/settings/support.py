"""Settings out of texts: a file, an environment, two ``.env`` files, all in one folder of ours."""

from collections.abc import Mapping
from pathlib import Path

from returns.result import Result

from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.ports import InvalidSetting


def load(  # noqa: PLR0913  each place where settings can stand
    tmp_path: Path,
    config: str = "",
    *,
    environment: Mapping[str, str] | None = None,
    working: str | None = None,
    beside: str | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Result[Settings, InvalidSetting]:
    """Load settings from what is given, and from nothing of this machine's."""
    home, folder = tmp_path / "home", tmp_path / "working"
    for place, text in ((home, beside), (folder, working)):
        place.mkdir(exist_ok=True)
        if text is not None:
            (place / ".env").write_text(text, encoding="utf-8")
    path = home / "config.yaml"
    path.write_text(config, encoding="utf-8")
    path.chmod(0o600)
    given = {"WEBSEAM_CONFIG": str(path), **(environment or {})}
    return load_settings(given, arguments=arguments, folder=folder)


def wrong(tmp_path: Path, config: str) -> str:
    """Return the message of a file that cannot be used, without the folder it is in."""
    failure = load(tmp_path, config).failure()
    return failure.message.replace(f"{tmp_path / 'home'}/", "")
