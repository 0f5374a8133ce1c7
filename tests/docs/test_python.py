"""Every Python block is run as it stands, pasted: alone, in an empty folder, with a search set up."""

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import answering

from .api import answer
from .snippets import ROOT, Snippet, snippets

RUN = [one for one in snippets("python") if one.reason is None]
NOT_RUN = [one for one in snippets("python") if one.reason is not None]


@pytest.fixture
def _set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stand in an empty folder, where a search and pages come from an API on loopback."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    with answering(answer) as address:
        monkeypatch.setenv("WEBSEAM_JSON_SEARCH_URL", f"{address}/search")
        monkeypatch.setenv("WEBSEAM_JSON_EXTRACT_URL", f"{address}/extract")
        monkeypatch.setenv("WEBSEAM_EXTRACT_BACKEND", "json")
        yield


@pytest.mark.usefixtures("_set_up")
@pytest.mark.parametrize("snippet", RUN, ids=lambda snippet: snippet.name)
def test_a_block_runs_as_it_stands(snippet: Snippet) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(snippet.text, snippet.name, "exec", flags=flags, dont_inherit=True)

    value = eval(code, {"__name__": "__main__"})  # noqa: S307  our own examples
    if inspect.iscoroutine(value):
        asyncio.run(value)


SHOWN = [one for one in RUN if one.page in ("README.md", "docs/data.md", "docs/python.md")]


@pytest.mark.usefixtures("_set_up")
@pytest.mark.parametrize("snippet", SHOWN, ids=lambda snippet: snippet.name)
def test_a_block_prints_what_stands_under_it_also_in_a_notebook(
    snippet: Snippet, capsys: pytest.CaptureFixture[str]
) -> None:
    after = (ROOT / snippet.page).read_text("utf-8").partition(snippet.text)[2]
    expected = re.match(r"```\n\n```text\n(.*?)```\n", after, re.DOTALL)

    async def run_cell() -> None:
        # A notebook runs its cells inside a loop.
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        code = compile(snippet.text, snippet.name, "exec", flags=flags, dont_inherit=True)
        value = eval(code, {"__name__": "__main__"})  # noqa: S307  our own examples
        if inspect.iscoroutine(value):
            await value

    asyncio.run(run_cell())

    assert expected is not None
    assert capsys.readouterr().out == expected[1]


def test_readme_is_short_and_begins_with_the_demo() -> None:
    text = (ROOT / "README.md").read_text("utf-8")

    assert len(text.split()) <= 800
    assert text.index("webseam demo") < text.index("webseam search tide tables  ")


@pytest.mark.parametrize("snippet", NOT_RUN, ids=lambda snippet: snippet.name)
def test_skipped_snippet_compiles_and_gives_its_reason(snippet: Snippet) -> None:
    compile(snippet.text, snippet.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    assert len(snippet.reason or "") > 10
