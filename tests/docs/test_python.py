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


def _shown(snippet: Snippet) -> str:
    """Return the output that stands below a block; empty where none does."""
    after = (ROOT / snippet.page).read_text("utf-8").partition(snippet.text)[2]
    shown = re.match(r"```\n\n(?:[^`\n]+\n\n)?```text\n(.*?)```\n", after, re.DOTALL)
    return shown[1] if shown else ""


async def _run(snippet: Snippet) -> None:
    """Run a block as a notebook does, inside a loop."""
    value = _evaluate(snippet)
    if inspect.iscoroutine(value):
        await value


def _evaluate(snippet: Snippet) -> object:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code = compile(snippet.text, snippet.name, "exec", flags=flags, dont_inherit=True)
    return eval(code, {"__name__": "__main__"})  # noqa: S307  our own examples


@pytest.mark.usefixtures("_set_up")
@pytest.mark.parametrize("snippet", RUN, ids=lambda snippet: snippet.name)
def test_a_block_prints_what_stands_under_it(
    snippet: Snippet, capsys: pytest.CaptureFixture[str]
) -> None:
    value = _evaluate(snippet)
    if inspect.iscoroutine(value):
        asyncio.run(value)

    assert capsys.readouterr().out == _shown(snippet)


# Those with a loop of their own cannot run in a notebook.
CELLS = [one for one in RUN if _shown(one) and "asyncio.run(" not in one.text]


@pytest.mark.usefixtures("_set_up")
@pytest.mark.parametrize("snippet", CELLS, ids=lambda snippet: snippet.name)
def test_a_block_prints_the_same_in_a_notebook(
    snippet: Snippet, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(_run(snippet))

    assert capsys.readouterr().out == _shown(snippet)


def test_readme_is_short_and_begins_with_the_demo() -> None:
    text = (ROOT / "README.md").read_text("utf-8")

    assert len(text.split()) <= 800
    assert text.index("webseam demo") < text.index("webseam search tide tables  ")


@pytest.mark.parametrize("snippet", NOT_RUN, ids=lambda snippet: snippet.name)
def test_skipped_snippet_compiles_and_gives_its_reason(snippet: Snippet) -> None:
    compile(snippet.text, snippet.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    assert len(snippet.reason or "") > 10
