"""``webseam data``: typed values of pages at a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import webseam
from tests.features.data.pages import SOUP, make_page
from webseam.kernel.features.data.shipped_types import SHIPPED_TYPES

SCHEMA = {
    "title": "Recipe",
    "properties": {
        "title": {"type": "string"},
        "total_time": {"type": "string", "format": "duration"},
        "servings": {"type": "integer"},
    },
    "required": ["title"],
}


def answer(asked: Asked) -> Reply:
    html = make_page("<p>Nothing is cooked here.</p>") if asked.path == "/none" else SOUP
    return Reply(html.encode(), kind="text/html; charset=utf-8")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with answering(answer) as address:
        yield address


def allow(address: str, tmp_path: Path) -> dict[str, str]:
    return {
        "WEBSEAM_POLICY_ALLOW_PRIVATE": f"127.0.0.1/32:{address.rpartition(':')[2]}",
        "WEBSEAM_CACHE": str(tmp_path / "cache"),
    }


@pytest.fixture
def schema(tmp_path: Path) -> str:
    file = tmp_path / "recipe.json"
    file.write_text(json.dumps(SCHEMA))
    return str(file)


def test_values_are_printed_with_their_quotes_and_reasons(
    address: str, schema: str, tmp_path: Path
) -> None:
    ran = webseam("data", f"{address}/soup", "--schema", schema, **allow(address, tmp_path))

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "title: Leek soup  (“Leek soup”, json-ld[0].name)\n"
        "total_time: PT4800S  (“1 h 20”, json-ld[0].totalTime)\n"
        "servings: not given  (disagrees: json-ld[0].recipeYield says 6)\n"
    )


def test_json_has_the_envelope_of_the_tool(address: str, schema: str, tmp_path: Path) -> None:
    around = allow(address, tmp_path)
    ran = webseam("data", f"{address}/soup", "--schema", schema, "--json", **around)

    envelope = json.loads(ran.out)
    data = envelope["data"]
    assert envelope["success"] is True
    assert data["url"] == f"{address}/soup"
    assert data["values"] == {"title": "Leek soup", "total_time": "PT4800S"}
    assert data["refused"]["servings"]["reason"] == "disagrees"
    assert envelope["receipt"]["backend"] == "pages"
    basis = data["basis"]["total_time"]
    (quote,) = basis["quotes"]
    piece = webseam("more", basis["handle"], "--all", "--json", **around)
    text = json.loads(piece.out)["data"]["text"]
    assert text[quote["start"] : quote["end"]] == quote["text"] == "1 h 20"


def test_a_file_and_standard_input_are_read_like_a_page(tmp_path: Path, schema: str) -> None:
    file = tmp_path / "soup.html"
    file.write_text(SOUP)

    of_file = webseam("data", str(file), "--schema", schema)
    of_input = webseam("data", "-", "--schema", schema, given=SOUP)

    assert of_file.code == 0
    assert of_file.out == of_input.out
    assert of_file.out.startswith("title: Leek soup")


@pytest.mark.parametrize("name", SHIPPED_TYPES)
def test_each_shipped_type_reads_a_page(name: str) -> None:
    ran = webseam("data", "-", "--like", name, given=SOUP)

    assert ran.code == 0
    assert "title: Leek soup" in ran.out or name in {"product", "event", "job", "dataset"}


def test_a_required_field_that_is_not_proved_fails_the_command(
    address: str, tmp_path: Path, schema: str
) -> None:
    Path(schema).write_text(json.dumps({**SCHEMA, "required": ["servings"]}))
    around = allow(address, tmp_path)

    ran = webseam("data", f"{address}/soup", "--schema", schema, **around)
    in_json = webseam("data", f"{address}/soup", "--schema", schema, "--json", **around)

    assert (ran.code, ran.out, in_json.code) == (4, "", 4)
    assert "does not prove what is required: servings (disagrees)" in ran.err
    assert "servings: disagrees: json-ld[0].recipeYield says 6" in ran.err
    assert "title: Leek soup, proved" in ran.err
    failure = json.loads(in_json.out)["failure"]
    assert failure["kind"] == "data_refused"
    assert failure["proved"]["title"]["value"] == "Leek soup"


def test_several_pages_are_read_and_one_that_fails_leaves_the_others(
    address: str, tmp_path: Path, schema: str
) -> None:
    around = allow(address, tmp_path)
    pages = (f"{address}/soup", f"{address}/none")

    ran = webseam("data", *pages, "--schema", schema, **around)
    in_json = webseam("data", *pages, "--schema", schema, "--json", **around)
    none = webseam("data", pages[1], "absent.html", "--schema", schema, "--json", **around)

    assert ran.code == in_json.code == none.code == 4
    assert ran.out.startswith(f"{pages[0]}\ntitle: Leek soup")
    envelope = json.loads(in_json.out)
    good, bad = envelope["data"]["results"]
    assert (envelope["success"], envelope["failed"]) == (True, 1)
    assert (good["page"], good["data"]["values"]["title"]) == (pages[0], "Leek soup")
    assert bad["failure"]["kind"] == "data_refused"
    assert json.loads(none.out)["success"] is False


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "is no JSON"),
        ("[]", "is no JSON Schema of an object"),
        ('{"properties": {"a": {"type": "string", "pattern": "x"}}}', "the keyword pattern"),
        ('{"properties": {}}', "must be an object with properties"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(
    tmp_path: Path, content: str, problem: str
) -> None:
    file = tmp_path / "schema.json"
    file.write_text(content)

    ran = webseam("data", "-", "--schema", str(file), given=SOUP)

    assert ran.code == 2
    assert problem in ran.err


def test_unreadable_schema_is_refused_before_a_fetch(tmp_path: Path) -> None:
    absent = webseam("data", "-", "--schema", str(tmp_path / "absent.json"), given=SOUP)
    neither = webseam("data", "-", given=SOUP)
    of_pdf = webseam("data", str(tmp_path / "report.pdf"), "--like", "article")

    assert (absent.code, neither.code, of_pdf.code) == (2, 2, 2)
    assert "cannot be read: No such file" in absent.err
    assert "one of the arguments --schema --like is required" in neither.err
    assert "application/pdf; values are read of HTML" in of_pdf.err


def test_a_terminal_is_sent_no_control_characters_of_a_page() -> None:
    html = make_page("<h1>Leek \x1b[31msoup</h1>", {"@type": "Recipe", "name": "Leek \x1b[31msoup"})

    assert "\x1b" not in webseam("data", "-", "--like", "recipe", given=html).out
