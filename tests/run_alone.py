"""A test that fails says how it is run alone."""

import os
from collections.abc import Generator
from shlex import quote

import pytest

# Read now: while a test runs, it sees nothing of the user's environment.
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "")


def command_for(test: str, profile: str = _PROFILE) -> str:
    """Return the command that runs one test, with as many examples."""
    command = f".venv/bin/python -m pytest {quote(test)}"
    return f"HYPOTHESIS_PROFILE={profile} {command}" if profile else command


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the command to the report of a failure."""
    report = yield
    if report.failed:
        report.sections.append(("the command for this test", command_for(item.nodeid)))
    return report
