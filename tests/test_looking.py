"""What is tried without being asked to look for more is the same in every process."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings, strategies as st


def tried() -> list[tuple[str, int]]:
    """Return what a law is tried with."""
    seen: list[tuple[str, int]] = []

    @settings(max_examples=200, derandomize=True, database=None, phases=[Phase.generate])
    @given(st.text(), st.integers())
    def law(text: str, number: int) -> None:
        seen.append((text, number))

    law()
    return seen


@pytest.mark.skipif(
    os.environ.get("HYPOTHESIS_PROFILE") == "fuzz", reason="new examples are looked for"
)
def test_tried_examples_do_not_depend_on_earlier_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tried()
    (tmp_path / "full_of_constants.py").write_text(
        "\n".join(f"C{n} = {n * 7919}; T{n} = 'word {n}'" for n in range(20, 500))
    )
    monkeypatch.syspath_prepend(tmp_path)
    __import__("full_of_constants")

    after = tried()

    del sys.modules["full_of_constants"]
    assert after == before
