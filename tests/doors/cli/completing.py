"""What the shell is offered when a person presses Tab."""

from tests.doors.cli.run import webseam


def offered(*words: str) -> list[str]:
    return webseam("completion", "--words", *words).out.split()
