"""The examples of the page about security run as they are written."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "security.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs_and_prints_what_the_page_says(
    example: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(compile(example, PAGE.name, "exec"), {})  # noqa: S102  our own page

    printed = " ".join(capsys.readouterr().out.split())
    assert printed in " ".join(PAGE.read_text("utf-8").split())
