"""The column ``data`` of a run: what each page proves of a schema."""

import json
from pathlib import Path
from typing import Any

import pytest

import webseam
from tests.doors.cli.run import webseam as command
from tests.features.data.pages import SOUP, make_page

pytest.importorskip("pyarrow")

SCHEMA: dict[str, Any] = {
    "title": "Recipe",
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "servings": {"type": "integer"},
        "ingredients": {"type": "array", "items": {"type": "string"}},
        "rating": {"type": "number"},
        "location": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
    "required": ["title"],
}
STEW = make_page(
    "<h1>Stew</h1><p>Serves 4</p><p>Kiel</p>",
    {"@type": "Recipe", "name": "Stew", "recipeYield": 4, "location": {"name": "Kiel"}},
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    texts = {"a.html": SOUP, "b.html": STEW, "c.html": make_page("<p>Nothing is cooked.</p>")}
    for name, text in {**texts, "d.md": "# Stew\n\nServes 4.\n"}.items():
        (folder / name).write_text(text)
    (folder / "e.html").write_text("")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("part-*"))}


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_each_row_has_what_its_page_proves(pages: Path, tmp_path: Path, form: Any) -> None:  # noqa: ANN401
    summary = webseam.bulk.extract(pages, tmp_path / "run", form=form, schema=SCHEMA)
    soup, stew, none, markdown, empty = webseam.bulk.rows(tmp_path / "run")

    assert (summary.rows, summary.ok) == (5, 4)
    assert soup.data is not None
    given = {
        name: it for name, it in soup.data["values"].items() if it not in (None, {"name": None})
    }
    assert given == {"title": "Leek soup", "ingredients": ["3 leeks", "1 l stock"]}
    assert json.loads(soup.data["basis"])["title"]["quotes"][0]["text"] == "Leek soup"
    assert json.loads(soup.data["refused"])["servings"]["reason"] == "disagrees"
    assert soup.data.get("error") is None
    assert stew.data is not None
    assert stew.data["values"]["servings"] == 4
    assert stew.data["values"]["location"] == {"name": "Kiel"}
    assert none.data is not None
    assert (none.error, none.data["error"]) == (None, "data_refused")
    assert markdown.data is not None
    assert (markdown.error, markdown.data["error"]) == (None, "unsupported_content")
    assert (empty.error, empty.data) == ("empty_content", None)


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_second_run_gives_the_same_bytes(pages: Path, tmp_path: Path, form: Any) -> None:  # noqa: ANN401
    schema = tmp_path / "recipe.json"
    schema.write_text(json.dumps(SCHEMA, indent=2))
    options = ("--schema", str(schema), "--format", form)

    webseam.bulk.extract(pages, tmp_path / "one", form=form, schema=SCHEMA)
    ran = command("bulk", "extract", str(pages), "-o", str(tmp_path / "two"), *options)

    assert ran.code == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_run_without_a_schema_has_no_such_column(pages: Path, tmp_path: Path) -> None:
    webseam.bulk.extract(pages, tmp_path / "run", form="jsonl")

    (part,) = contents(tmp_path / "run").values()
    assert "data" not in json.loads(part.splitlines()[0])
    assert next(webseam.bulk.rows(tmp_path / "run")).data is None


def test_another_schema_is_another_run(pages: Path, tmp_path: Path) -> None:
    webseam.bulk.extract(pages, tmp_path / "run", schema=SCHEMA)

    with pytest.raises(webseam.WebseamError, match="--schema"):
        webseam.bulk.extract(pages, tmp_path / "run", schema={**SCHEMA, "required": []})


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ("{", "is no JSON"),
        ("[]", "no JSON Schema of an object"),
        ('{"properties": {"a": {"type": "string", "pattern": "x"}}}', "the keyword pattern"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_written(
    pages: Path, tmp_path: Path, schema: str, problem: str
) -> None:
    file = tmp_path / "schema.json"
    file.write_text(schema)

    ran = command("bulk", "extract", str(pages), "-o", str(tmp_path / "run"), "--schema", str(file))
    absent = command("bulk", "extract", str(pages), "-o", str(tmp_path / "run"), "--schema", "no")

    assert (ran.code, absent.code) == (2, 2)
    assert problem in ran.err
    assert "no cannot be read" in absent.err
    assert not contents(tmp_path / "run")
