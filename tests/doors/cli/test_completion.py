"""What Tab offers, and the scripts that ask for it."""

import pytest

from tests.doors.cli.completing import offered
from tests.doors.cli.run import webseam
from webseam.composition.doors.cli import find_commands
from webseam.composition.doors.cli.commands.completion import SHELLS


def test_commands_come_first() -> None:
    assert offered("") == sorted(find_commands())
    assert offered("se") == ["search", "serve", "setup"]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("search", "--ba"), "--backend"),
        (("search", "tide", "--backend", "ta"), "tavily"),
        (("search", "--format", ""), "jsonl"),
        (("model", "ask", "--provider", "gro"), "groq"),
        (("index", ""), "refresh"),
        (("index", "add", "--ver"), "--verbose"),
        (("cache", "cl"), "clear"),
        (("completion", "f"), "fish"),
        (("doctor", "brav"), "brave"),
    ],
)
def test_options_and_names_are_offered(words: tuple[str, ...], some: str) -> None:
    assert some in offered(*words)


@pytest.mark.parametrize("words", [("nonsense", ""), ("search", "tide", ""), ("more", "zz")])
def test_unknown_words_are_completed_with_nothing(words: tuple[str, ...]) -> None:
    assert offered(*words) == []


@pytest.mark.parametrize("command", sorted(find_commands()))
def test_every_command_says_what_it_takes(command: str) -> None:
    assert "--help" in offered(command, "--")


@pytest.mark.parametrize("shell", sorted(SHELLS))
def test_every_shell_has_a_script(shell: str) -> None:
    ran = webseam("completion", shell)

    assert ran.code == 0
    way = "--described" if shell in ("fish", "zsh") else "--words"
    assert f"webseam completion {way}" in ran.out


@pytest.mark.parametrize("command", sorted(find_commands()))
def test_every_command_and_option_is_described(command: str) -> None:
    commands = webseam("completion", "--described", command).out.splitlines()
    options = webseam("completion", "--described", command, "--").out.splitlines()

    assert all(line.split("\t")[1:] for line in commands)
    assert [line for line in options if not line.partition("\t")[2]] == []
    assert [line.partition("\t")[0] for line in options] == offered(command, "--")
