"""What training does with the reader: pages are stored without their trees and chosen from again."""

import gzip
import json
import pickle
import runpy
import sys
from pathlib import Path

import pytest
from turbohtml import parse

from training.stored import without_tree
from webseam.adapters.reader.measures.page_features import KINDS
from webseam.adapters.reader.page_segments import segment_page
from webseam.adapters.reader.run_choice import choose_runs

from .read import PARAGRAPH, article


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_page_is_chosen_from_as_it_was(kind: str) -> None:
    html = article(f"<p>See <a href=#n>1</a>.</p><dl><dt>Ebb<dd>{PARAGRAPH}</dl>")
    body = parse(html, positions=False).find("body")
    assert body is not None
    cut = segment_page(body)
    stored = pickle.loads(pickle.dumps(without_tree(cut)))  # noqa: S301  made a moment ago
    kinds = [float(one == kind) for one in KINDS]
    likely, related = [0.9] * len(cut.runs), [False] * len(cut.runs)

    chosen = choose_runs(stored, likely, kinds, related)

    assert chosen == choose_runs(cut, likely, kinds, related)
    assert True in chosen.kept


def test_the_figures_are_made_by_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("lightgbm")
    pytest.importorskip("rapidfuzz")
    for folder in ("ground-truth", "html"):
        (tmp_path / folder).mkdir()
    for number in range(40):
        about = {
            "url": f"https://site{number}.example/",
            "ground_truth": {"main_content": PARAGRAPH},
            "_internal": {"page_type": {"primary": KINDS[number % len(KINDS)]}},
        }
        (tmp_path / "ground-truth" / f"{number}.json").write_text(json.dumps(about))
        page = gzip.compress(article(f"<p>{number} {PARAGRAPH}</p>").encode())
        (tmp_path / "html" / f"{number}.html.gz").write_bytes(page)
    monkeypatch.setattr(sys, "argv", ["training", str(tmp_path), "--evaluate", "--folds", "0"])

    runpy.run_module("training", run_name="__main__")

    assert "cross-validated mean word F1" in capsys.readouterr().out
