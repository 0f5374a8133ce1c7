"""README's commands, one after the other in one folder, as a new user types them.

Whoever they would ask stands on this machine: the demo's services. None of them may be bad input
(2) or a bug (70); what is not set up (3), not there (4) or refused (5) says so.
"""

import io
import sys
from pathlib import Path

import pytest

from tests.cli.run import Ran, webseam
from webseam.composition.cli.demo_api import running_demo_api

from .test_shell import CALLS

# Words of a command, and why it is not run here.
LEFT_OUT = {
    "setup": "asks a person for a key",
    "--live": "asks services of the web",
    "--backend wikipedia": "asks a service of the web",
    "bulk": "needs Parquet's package, and a crawl",
    "LAST": "goes on from an answer of xAI",
    "--open": "the demo knows no days, so a filter by day finds nothing that could be opened",
}
PAGE = "<main><h1>Tides</h1><p>The tide is the rise and fall of the sea, twice a day.</p></main>"
WORDS = [words[1:] for place, words in CALLS if place.startswith("README") and words[0] != "make"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name in ("saved.html", "notes.md", "docs/tides.md"):
        (tmp_path / name).write_text(PAGE)
    (tmp_path / "schema.json").write_text('{"type": "object"}')
    monkeypatch.setattr(sys, "stdin", io.StringIO("https://webseam.example/rows\n"))
    return tmp_path


def _is_left_out(words: list[str]) -> bool:
    return any(reason in " ".join(words) for reason in LEFT_OUT)


def test_the_commands_of_readme_run_as_they_stand(folder: Path) -> None:
    ran: dict[str, Ran] = {}
    with running_demo_api() as api:
        settings = {
            "WEBSEAM_JSON_SEARCH_URL": api.url("search"),
            "WEBSEAM_JSON_EXTRACT_URL": api.url("extract"),
            "WEBSEAM_BACKEND": "json",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            "WEBSEAM_CACHE": str(folder / "cache"),
        }
        for words in WORDS:
            if not _is_left_out(words):
                ran[" ".join(words)] = webseam(*words, **settings)

    codes = {command: (each.code, each.err[-200:]) for command, each in ran.items()}
    assert len(codes) >= 15
    assert {command: code for command, code in codes.items() if code[0] not in (0, 3, 4, 5)} == {}
    assert ran["search tide tables"].code == 0
