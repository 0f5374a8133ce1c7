"""A test that fails says how it is run alone."""

from typing import Literal

import pytest

from tests.run_alone import command_for, pytest_runtest_makereport


def sections_of(item: pytest.Item, outcome: Literal["passed", "failed"]) -> list[tuple[str, str]]:
    report = pytest.TestReport(item.nodeid, ("", 0, ""), {}, outcome, None, "call")
    making = pytest_runtest_makereport(item)
    next(making)
    with pytest.raises(StopIteration):
        making.send(report)
    return report.sections


def test_report_of_a_failure_has_the_command_for_the_test(request: pytest.FixtureRequest) -> None:
    item: pytest.Item = request.node

    assert sections_of(item, "failed") == [("the command for this test", command_for(item.nodeid))]
    assert sections_of(item, "passed") == []


def test_command_for_a_test_quotes_its_name_and_keeps_the_profile() -> None:
    assert command_for("tests/test_a.py::test_b[x y]", "ci") == (
        "HYPOTHESIS_PROFILE=ci .venv/bin/python -m pytest 'tests/test_a.py::test_b[x y]'"
    )
    assert command_for("tests/test_a.py", "") == ".venv/bin/python -m pytest tests/test_a.py"
