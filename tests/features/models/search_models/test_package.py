"""A search model from outside: a package that announces one, and one that announces none."""

import json
from pathlib import Path

import pytest

from tests.services.support import run
from webseam.composition.features.models.search_model_rows import broken_search_models

MODEL = """
from webseam.adapters.features.models.search.declaration import SearchModel, search_query_messages
from webseam.ports.models import ChatRequest
from webseam.providers import Login, Provider

LOGIN = Login(env=("ACME_API_KEY",), base_url="https://api.acme.example/v1")
ACME = Provider(name="acme", login=LOGIN)


def ask(query, model):
    return ChatRequest(model=model, messages=said(query))


SEARCH_MODEL = SearchModel(name="acme_web", title="Acme", provider=ACME, model="acme-1", ask=ask)
"""
LOOK = """
import json
from webseam.composition.wiring.root import read_root
from webseam.composition.wiring.backend_table import all_backend_rows, find_backend_row
given = {"ACME_API_KEY": "k-0123456789", "HOME": HOME, "WEBSEAM_CONFIG": CONFIG}
root = read_root(given).unwrap()
row = find_backend_row("acme_web", root)
known = [each.candidate.name for each in all_backend_rows(root)]
both = "acme_web" in known and "openai_web" in known
print(json.dumps([row.title, row.address, row.model, row.problem, both]))
"""


def announce(folder: Path, *lines: str) -> None:
    announced = folder / "acme-1.0.dist-info"
    announced.mkdir()
    (announced / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    group = "[webseam.search_models]"
    (announced / "entry_points.txt").write_text("\n".join((group, *lines)) + "\n")


def test_a_package_brings_a_search_model_and_its_provider(tmp_path: Path) -> None:
    (tmp_path / "acme_search.py").write_text(MODEL)
    announce(tmp_path, "acme_web = acme_search:SEARCH_MODEL")
    config = tmp_path / "config.yaml"
    config.write_text("providers:\n  openai:\n    model: gpt-6\n")

    printed = json.loads(
        run(tmp_path, "-c", f"CONFIG, HOME = {str(config)!r}, {str(tmp_path / 'home')!r}\n{LOOK}")
    )

    assert printed == ["Acme", "https://api.acme.example/v1", "acme-1", None, True]


def test_broken_announcement_of_a_search_model_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(tmp_path, "gone = nowhere:SEARCH_MODEL", "string = os:sep")
    monkeypatch.syspath_prepend(tmp_path)

    assert broken_search_models() == {
        "gone": "it needs the module 'nowhere', which is not installed",
        "string": "it is not a SearchModel",
    }
