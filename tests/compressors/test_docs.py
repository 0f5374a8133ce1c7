"""The example of docs/compressing.md is run as it stands there."""

import re
from pathlib import Path


def test_the_example_runs() -> None:
    page = (Path(__file__).parents[2] / "docs" / "compressing.md").read_text(encoding="utf-8")

    [example] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)

    exec(compile(example, "docs/compressing.md", "exec"), {})  # noqa: S102  our own example
