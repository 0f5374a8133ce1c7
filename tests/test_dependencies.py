"""What the package needs: a cap below the next major version is an exception with a reason.

A library that caps its neighbours cannot be installed beside them. So such a cap stands only where
another version would change bytes that users store, and a test below fails with that version.
"""

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import Stemmer
import tantivy

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))
# Each cap, and what another version would change.
CAPS = {
    "PyStemmer": "the stems of words that the index stores",
    "tantivy": "the format of the files that the index stores",
    "wordllama": "the vectors that the index stores",
}
WORDS = (
    "running", "houses", "nationalization", "Häuser", "chevaux", "canciones", "книгами", "gatti",
    "evlerde", "ξένων", "بيوت",
)  # fmt: skip


def requirements() -> list[str]:
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    groups = PROJECT["dependency-groups"].values()
    return [line for listed in (project["dependencies"], *extras, *groups) for line in listed]


def test_cap_below_the_next_major_version_is_one_that_stored_bytes_need() -> None:
    capped = {
        re.split(r"[^\w-]", line)[0]
        for line in requirements()
        if re.search(r"[<=]=?\s*\d+\.", re.sub(r">=\s*[\d.]+", "", line.partition(";")[0]))
    }

    assert capped == {*CAPS}


def test_stems_are_those_that_an_index_has_stored() -> None:
    stems = [
        [name, [Stemmer.Stemmer(name).stemWord(word) for word in WORDS]]
        for name in sorted(Stemmer.algorithms())
    ]

    digest = hashlib.sha256(json.dumps(stems, ensure_ascii=False).encode()).hexdigest()
    assert digest.startswith("7aa0168a1eec5432")


def test_words_of_an_index_are_stored_in_the_format_that_was_stored_before(tmp_path: Path) -> None:
    builder: Any = tantivy.SchemaBuilder()
    builder.add_text_field("words")
    writer = tantivy.Index(builder.build(), path=str(tmp_path)).writer()
    document = tantivy.Document()
    document.add_text("words", "tide")
    writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()

    endings = [file.read_bytes()[-200:] for file in tmp_path.glob("*.store")]
    assert [b'"index_format_version":7' in ending for ending in endings] == [True]


def test_vectors_of_this_machine_are_those_that_an_index_has_stored() -> None:
    pytest.importorskip("wordllama")
    from webseam.adapters.features.models.word_vectors import load_word_vectors  # noqa: PLC0415  an extra

    (vector,) = load_word_vectors().embed(["High tide is at noon."])

    numbers = [float(number) for number in vector]
    assert len(numbers) == 256
    expected = [-0.0035, -0.0929, 0.1215, 0.133, 0.1958, -0.1916]
    assert numbers[:6] == pytest.approx(expected, abs=0.001)
