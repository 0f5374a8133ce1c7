"""What a refusal tells a person to do can be typed as it stands, and works."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.shell import is_understood
from tests.doors.cli.helps import ALL
from tests.error_texts import SAYINGS
from webseam.composition.settings import checks
from webseam.composition.terminal.failure_lines import next_step_commands
from webseam.kernel.policy.explanation import explain
from webseam.kernel.policy.policy_rules import Policy

from .run import webseam

ROOT = Path(__file__).parents[3]
ROOMS = ("ports", "kernel", "adapters", "composition")
DENIED = (
    "http://127.0.0.1:18904/", "http://127.0.0.1/", "http://10.1.2.3/", "http://[::1]:8080/",
    "http://[fd00::1]/", "http://localhost/", "http://printer.local:631/", "https://a.example:18904/",
)  # fmt: skip
_COMMAND_PATTERN = re.compile(r"`(webseam [^`]+)`")
_SETTING_PATTERN = re.compile(r"\b(?:set|raise) `?([a-z_]+(?:\.[a-z_]+)+)\b", re.IGNORECASE)
_PLACEHOLDER = "brave"
# Words that stand for one of a few.
PLACES = {"CLIENT": "cursor"}
# The command of a feature that has a parser of its own.
NAMES = {"webseam COMMAND", "webseam data rules", *(parser.prog for parser in ALL)}


def texts() -> Iterator[str]:
    """Yield every text of the sources; what is filled in later is a name."""
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
                elif isinstance(node, ast.JoinedStr):
                    parts = [
                        part.value if isinstance(part, ast.Constant) else _PLACEHOLDER
                        for part in node.values
                    ]
                    text = "".join(map(str, parts))
                    # A value may bring its own blank.
                    yield re.sub(rf"(?<=[a-z]){_PLACEHOLDER}", f" {_PLACEHOLDER}", text)


TEXTS = [*texts(), *(f"{error.message} {error.remedy_for('terminal')}" for error, _, _ in SAYINGS)]


@pytest.mark.parametrize("url", DENIED)
def test_setting_that_a_refusal_names_can_be_typed_and_allows_the_url(
    url: str, tmp_path: Path
) -> None:
    setting = explain(url, Policy()).setting
    own = {"WEBSEAM_CONFIG": str(tmp_path / "config.yaml")}
    assert setting is not None
    name, _, value = setting.partition(": ")

    for typed in (setting, f"{name}={value}"):
        written = webseam("setup", "--set", typed, **own)
        checked = webseam("policy", "check", url, "--no-dns", **own)
        assert (written.code, checked.code) == (0, 0), (typed, written.err, checked.out)


def test_commands_that_messages_name_are_commands_that_are_there() -> None:
    named = {command for text in TEXTS for command in _COMMAND_PATTERN.findall(text)}
    named |= {step.command for error, _, _ in SAYINGS for step in next_step_commands(error)}

    assert len(named) > 20
    wrong = [command for command in sorted(named) if not is_command_there(command)]
    assert wrong == []


def is_command_there(command: str) -> bool:
    # A bare name of a command stands for it.
    if command in NAMES:
        return True
    program, *words = [PLACES.get(word, word) for word in shlex.split(command)]
    return program != "webseam" or is_understood(program, *words)


def test_settings_that_messages_name_are_settings_that_are_there() -> None:
    named = {name for text in TEXTS for name in _SETTING_PATTERN.findall(text)}

    known = ("services.", "providers.", "sites.")
    unknown = [
        name
        for name in sorted(named)
        if not name.startswith(known)
        and checks.find_setting(checks.canonical_setting_path(tuple(name.split(".")))) is None
    ]
    assert (len(named) > 5, unknown) == (True, [])


def test_options_that_hints_name_are_options_of_their_command() -> None:
    hints = [(parser, hint) for parser in ALL for hint in parser._hints.values()]  # noqa: SLF001  no other list

    wrong = [
        (parser.prog, hint)
        for parser, hint in hints
        if not {*re.findall(r"^use (--[a-z-]+)", hint)} <= {*parser._option_string_actions}  # noqa: SLF001
    ]
    assert len(hints) > 20
    assert wrong == []


def test_option_that_does_nothing_beside_another_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pairs = [(parser, pair) for parser in ALL for pair in parser._conflicts]  # noqa: SLF001  no other list
    assert len(pairs) > 10

    for parser, pair in pairs:
        actions = [parser._option_string_actions[option] for option in pair]  # noqa: SLF001
        values = [[] if action.nargs == 0 else ["5"] for action in actions]
        words = [
            word for option, value in zip(pair, values, strict=True) for word in (option, *value)
        ]
        with pytest.raises(SystemExit):
            parser.parse_args(["x", *words])
        assert f"{pair[0]} does nothing with {pair[1]}" in capsys.readouterr().err
