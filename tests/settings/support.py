"""Settings out of texts: a file, an environment, two ``.env`` files, all in one folder of ours."""

from collections.abc import Mapping
from pathlib import Path

from returns.result import Result

from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.ports import InvalidSetting


def load(
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


def settings(tmp_path: Path, file: str = "", dotenv: str = "", **environment: str) -> Settings:
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    (folder / ".env").write_text(dotenv)
    config = tmp_path / "config.yaml"
    config.write_text(file)
    config.chmod(0o600)
    return load_settings({"WEBSEAM_CONFIG": str(config), **environment}, folder=folder).unwrap()


class FakeConsole:
    """Answers from a list; ``said`` holds all that was told and asked."""

    def __init__(self, *answers: str) -> None:
        self.said: list[str] = []
        self._answers = list(answers)

    def print_line(self, text: str, /) -> None:
        self.said.append(text)

    def ask_line(self, question: str, /) -> str:
        self.said.append(question)
        if not self._answers:
            raise EOFError
        return self._answers.pop(0)

    def ask_secret(self, question: str, /) -> str:
        return self.ask_line(f"[secret] {question}")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
