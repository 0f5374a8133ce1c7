"""Every Python block is run as it stands, pasted: alone, in an empty folder, with a search set up."""

import ast
import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import answering

from .api import answer
from .snippets import Snippet, snippets

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


@pytest.mark.parametrize("snippet", NOT_RUN, ids=lambda snippet: snippet.name)
def test_what_is_not_run_is_still_python_and_says_why(snippet: Snippet) -> None:
    compile(snippet.text, snippet.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    assert len(snippet.reason or "") > 10
