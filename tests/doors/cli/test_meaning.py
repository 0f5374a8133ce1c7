"""``index add --embed``, ``index embed`` and searches by meaning, with a server on this machine."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.doors.cli.run import Ran, webseam

pytest.importorskip("numpy", reason="an extra")


class Model(ThreadingHTTPServer):
    """A model that knows food from warmth. ``length`` is how many numbers its vectors have."""

    asked: list[list[str]]
    status = 200
    length = 2

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def vector(self, text: str) -> list[float]:
        food = any(word in text.lower() for word in ("bread", "baking", "dough"))
        return [1.0 if food else 0.0, 0.0 if food else 1.0, 0.0, 0.0][: self.length]


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body["input"])
        entries = [{"embedding": self.server.vector(text)} for text in body["input"]]
        content = json.dumps({"data": entries, "usage": {"total_tokens": 5}}).encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        return


@pytest.fixture
def model() -> Iterator[Model]:
    with Model(("127.0.0.1", 0), _Handler) as running:
        running.asked = []
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "rye.md").write_text("# Rye bread\n\nRye, water and salt.\n")
    (folder / "pump.md").write_text("# Heat pumps\n\nThey warm a house.\n")
    return folder


def own(model: Model, notes: Path, *arguments: str, **more: str) -> Ran:
    """Run with the model as an embedder, and the index beside the notes."""
    return webseam(
        *arguments,
        **{
            "OPENAI_API_KEY": "k",
            "OPENAI_BASE_URL": model.url,
            "WEBSEAM_EMBEDDINGS_PROVIDER": "openai",
            "WEBSEAM_EMBEDDINGS_MODEL": "small",
            "WEBSEAM_INDEX": str(notes.parent / "index.sqlite"),
            **more,
        },
    )


def searched(model: Model, notes: Path, *words: str, **more: str) -> dict[str, Any]:
    ran = own(model, notes, "search", "--backend", "index", "--receipt", *words, **more)
    assert ran.code == 0, ran.err
    whole: dict[str, Any] = json.loads(ran.out)
    return whole


def titles(answer: dict[str, Any]) -> list[str]:
    return [row["title"] for row in answer["data"]["web"]]


def test_without_the_option_nobody_is_asked(model: Model, notes: Path) -> None:
    added = own(model, notes, "index", "add", str(notes))
    answer = searched(model, notes, "baking")

    assert added.code == 0
    assert (titles(answer), answer["receipt"]["warnings"]) == ([], [])
    assert model.asked == []


def test_embedded_passages_are_found_by_meaning(model: Model, notes: Path) -> None:
    added = own(model, notes, "index", "add", "--embed", str(notes))
    answer = searched(model, notes, "baking -gas site:file.localhost")

    assert (added.code, added.err) == (0, "")
    assert added.out.endswith("2 passages embedded by small, 5 tokens.\n")
    assert titles(answer) == ["Rye bread"]
    assert answer["receipt"]["warnings"] == []
    assert answer["receipt"]["usage"]["input_tokens"] == 5
    assert model.asked[-1] == ["baking"]


def test_a_setting_stands_for_the_option(model: Model, notes: Path) -> None:
    added = own(model, notes, "index", "add", "--json", str(notes), WEBSEAM_EMBEDDINGS_INDEX="true")

    data = json.loads(added.out)["data"]
    assert data["embedded"] == {"passages": 2, "tokens": 5, "model": "small"}


def test_only_what_is_new_is_embedded(model: Model, notes: Path) -> None:
    own(model, notes, "index", "add", "--embed", str(notes))
    (notes / "rye.md").write_text("# Rye bread\n\nNow with seeds.\n")
    (notes / "pump.md").unlink()
    model.asked.clear()

    refreshed = own(model, notes, "index", "refresh", "--embed")

    assert refreshed.code == 0
    assert model.asked == [["Rye bread\nRye bread\n# Rye bread\n\nNow with seeds.\n"]]
    stats = json.loads(own(model, notes, "index", "stats", "--json").out)["data"]
    assert (stats["vectors"], stats["model"]) == (1, "small")


def test_words_answer_when_the_service_is_away(model: Model, notes: Path) -> None:
    own(model, notes, "index", "add", "--embed", str(notes))
    model.status = 400

    answer = searched(model, notes, "water")

    assert titles(answer) == ["Rye bread"]
    (warning,) = answer["receipt"]["warnings"]
    assert warning.startswith("words alone were compared, not meaning: ")


def test_documents_are_kept_when_the_service_is_away(model: Model, notes: Path) -> None:
    model.status = 401

    added = own(model, notes, "index", "add", "--embed", str(notes))
    listed = json.loads(own(model, notes, "index", "list", "--json").out)["data"]["documents"]
    model.status = 200
    embedded = own(model, notes, "index", "embed")

    assert added.code != 0
    assert "2 added" in added.out
    assert "kept without all vectors" in added.err
    assert len(listed) == 2
    assert (embedded.code, embedded.out) == (0, "2 passages embedded by small, 5 tokens.\n")


def test_a_failure_to_embed_is_told_to_programs(model: Model, notes: Path) -> None:
    model.status = 401

    added = json.loads(own(model, notes, "index", "add", "--embed", "--json", str(notes)).out)

    assert added["success"] is False
    assert added["data"]["added"] == 2
    assert added["data"]["embedded"]["failure"]["kind"] == "auth_failed"


def test_another_model_is_refused_by_name_until_it_begins_anew(model: Model, notes: Path) -> None:
    own(model, notes, "index", "add", "--embed", str(notes))
    other = {"WEBSEAM_EMBEDDINGS_MODEL": "large"}

    refused = own(model, notes, "index", "embed", **other)
    answer = searched(model, notes, "water", **other)
    anew = own(model, notes, "index", "embed", "--anew", "--json", **other)
    after = searched(model, notes, "baking", **other)

    assert refused.code == 3
    assert "The index has vectors of small with 2 numbers" in refused.err
    assert "index embed --anew" in refused.err
    assert "the settings ask for large" in answer["receipt"]["warnings"][0]
    assert json.loads(anew.out)["data"]["passages"] == 2
    assert titles(after) == ["Rye bread"]


def test_vectors_of_another_length_are_refused(model: Model, notes: Path) -> None:
    own(model, notes, "index", "add", "--embed", str(notes))
    (notes / "more.md").write_text("# More\n\nMore of it.\n")
    model.length = 4

    added = own(model, notes, "index", "add", "--embed", str(notes))
    answer = searched(model, notes, "water")

    assert added.code == 3
    assert "4 numbers" in added.err
    assert titles(answer) == ["Rye bread"]
    assert "4 numbers" in answer["receipt"]["warnings"][0]


def test_a_provider_that_is_not_set_is_named(model: Model, notes: Path) -> None:
    unset = {"WEBSEAM_EMBEDDINGS_PROVIDER": ""}
    added = own(model, notes, "index", "add", "--embed", str(notes), **unset)

    assert added.code == 3
    assert "embeddings.provider" in added.err


def test_the_doctor_tells_of_vectors(model: Model, notes: Path) -> None:
    own(model, notes, "index", "add", "--embed", str(notes))
    whole = own(model, notes, "doctor")
    (notes / "more.md").write_text("# More\n\nMore of it.\n")
    own(model, notes, "index", "add", str(notes))
    lacking = own(model, notes, "doctor")
    other = own(model, notes, "doctor", WEBSEAM_EMBEDDINGS_MODEL="large")

    assert "vectors of small" in whole.out
    assert "1 passage has no vector" in lacking.out
    assert "the settings name large" in " ".join(other.out.split())


def test_voyage_is_asked_with_its_own_key(model: Model, notes: Path) -> None:
    added = own(
        model,
        notes,
        "index",
        "add",
        "--embed",
        str(notes),
        WEBSEAM_EMBEDDINGS_PROVIDER="voyage",
        WEBSEAM_EMBEDDINGS_MODEL="",
        VOYAGE_API_KEY="v",
        VOYAGE_EMBEDDINGS_BASE_URL=model.url,
    )

    assert added.code == 0, added.err
    assert "embedded by voyage-3.5" in added.out
