"""Rules that are learned from fetched pages, kept in files, and shown at a terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import webseam
from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import Ran, webseam as webseam_command
from tests.features.data.site_pages import soup_page
from webseam.adapters.features.data.rule_files import RuleFiles
from webseam.kernel.features.data.typed_values import read_wanted
from webseam.ports.data_rules import FieldRule, Place, SiteRules
from webseam.ports.errors import InvalidQuery, StoreFailed


class Recipe(msgspec.Struct):
    title: str
    servings: int | None = None
    author: str | None = None


PAGES = {
    "/leek": soup_page(linked=True),
    "/pea": soup_page("Pea soup", serves=2, author="Bo Lee", linked=True),
    "/fig": soup_page("Fig soup", serves=6, author="Cy Dee"),
    "/new": soup_page("New soup", serves=8, author="Cy Dee", prefix="new-"),
}


def answer(asked: Asked) -> Reply:
    return Reply(PAGES[asked.path].encode(), kind="text/html; charset=utf-8")


@pytest.fixture
def address() -> Iterator[str]:
    with answering(answer) as address:
        yield address


def options(address: str, folder: Path) -> dict[str, Any]:
    port = address.rpartition(":")[2]
    return {
        "settings": {"policy.allow_private": [f"127.0.0.1/32:{port}"]},
        "environment": {"XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
    }


def test_learned_rules_read_the_other_pages_of_a_site(address: str, tmp_path: Path) -> None:
    with webseam.open_blocking(**options(address, tmp_path)) as web:
        before = web.data(f"{address}/fig", Recipe)

        (rules,) = web.learn([f"{address}/leek", f"{address}/pea"], Recipe)

        after = web.data(f"{address}/fig", Recipe)
        changed = web.data(f"{address}/new", Recipe)
    assert before.value == Recipe("Fig soup")
    assert rules.site == address.removeprefix("http://")
    assert rules.fields.keys() == {"title", "servings", "author"}
    assert rules.pages == (f"{address}/leek", f"{address}/pea")
    assert after.value == Recipe("Fig soup", 6, "Cy Dee")
    assert after.basis["author"].source == "rule"
    assert changed.refused["author"].reason == "template_changed"


def test_learned_rules_count_for_the_tool_of_the_same_client(address: str, tmp_path: Path) -> None:
    schema = {
        "title": "Recipe",
        "properties": {"title": {"type": "string"}, "author": {"type": "string"}},
    }
    with webseam.open_blocking(**options(address, tmp_path)) as web:
        web.learn([f"{address}/leek", f"{address}/pea"], schema)
        reply = web.call_tool("web_data", {"url": f"{address}/fig", "schema": schema})

    data: Any = reply.envelope["data"]
    assert data["values"] == {"title": "Fig soup", "author": "Cy Dee"}
    assert data["basis"]["author"]["source"] == "rule"


def test_a_page_that_cannot_be_read_teaches_nothing(address: str, tmp_path: Path) -> None:
    with webseam.open_blocking(**options(address, tmp_path)) as web:
        with pytest.raises(webseam.WebseamError):
            web.learn([f"{address}/leek", "ftp://x"], Recipe)
        with pytest.raises(webseam.WebseamError) as of_type:
            web.learn([f"{address}/leek"], int)

    assert isinstance(of_type.value.error, InvalidQuery)
    assert not (tmp_path / "webseam" / "rules").exists()


def make_rules(site: str, words: str = "serves") -> SiteRules:
    rule = FieldRule(places=(Place(path=("b.n", "p.facts"), before=words),))
    return SiteRules(
        site=site,
        schema=read_wanted(Recipe).unwrap(),
        fields={"servings": rule},
        pages=(f"https://{site}/a",),
        learned="2026-11-19",
    )


def test_rules_are_found_by_site_and_schema(tmp_path: Path) -> None:
    store, rules = RuleFiles(tmp_path / "rules"), make_rules("a.example")
    other = msgspec.structs.replace(rules.schema, thing="dish")

    assert store.load("a.example", rules.schema) is None
    assert store.save(rules).unwrap() is None
    assert store.load("a.example", rules.schema) == rules
    assert store.load("b.example", rules.schema) is None
    assert store.load("a.example", other) is None


def test_a_damaged_file_has_no_rules(tmp_path: Path) -> None:
    store, rules = RuleFiles(tmp_path / "rules"), make_rules("a.example")
    store.save(rules)
    (file,) = (tmp_path / "rules").iterdir()
    file.write_bytes(b"{")

    assert store.load("a.example", rules.schema) is None
    assert store.all_rules() == []


def test_a_folder_that_cannot_be_made_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(b"")

    failure = RuleFiles(tmp_path / "rules").save(make_rules("a.example")).failure()

    assert isinstance(failure, StoreFailed)


_WRITER = """
import sys
from pathlib import Path
from tests.features.data.test_learning import make_rules
from webseam.adapters.features.data.rule_files import RuleFiles

store = RuleFiles(Path(sys.argv[1]))
for turn in range(1_000_000):
    store.save(make_rules("a.example", "long " * 10_000 + "ab"[turn % 2]))
    print(turn, flush=True)
"""


def test_a_writer_that_is_killed_leaves_whole_rules(tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    for turns in (1, 2, 3):
        with subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(folder)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            assert process.stdout is not None
            for _ in range(turns):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
            process.wait()

        (rules,) = RuleFiles(folder).all_rules()

        assert rules.fields["servings"].places[0].before[-1] in "ab"


def test_the_rules_of_sites_are_listed_shown_and_removed(
    tmp_path: Path,
) -> None:
    def run(*arguments: str) -> Ran:
        return webseam_command("data", "rules", *arguments, XDG_DATA_HOME=str(tmp_path))

    empty = run()
    store = RuleFiles(tmp_path / "webseam" / "rules")
    store.save(make_rules("a.example"))
    store.save(make_rules("b.example"))

    listed = run()
    shown = run("a.example")
    as_json = run("--json")
    removed = run("a.example", "--remove")
    refused = run("--remove")

    assert empty.out == "No rules were learned.\n"
    assert listed.out == (
        "a.example  recipe: servings  (1 page, 2026-11-19)\n"
        "b.example  recipe: servings  (1 page, 2026-11-19)\n"
    )
    assert shown.out == (
        "a.example  recipe: servings  (1 page, 2026-11-19)\n"
        '  servings: p.facts > b.n after "serves"\n'
        "  learned from https://a.example/a\n"
    )
    assert [it["site"] for it in msgspec.json.decode(as_json.out)["data"]["rules"]] == [
        "a.example",
        "b.example",
    ]
    assert removed.out == "1 removed.\n"
    assert [it.site for it in store.all_rules()] == ["b.example"]
    assert refused.code != 0
