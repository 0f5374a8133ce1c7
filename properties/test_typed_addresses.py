"""A host name that is typed without https:// means that URL, wherever a page is asked for."""

import json
from pathlib import Path

import pytest

from tests.tools.bench import Bench
from webseam.composition.features.bulk.command_options import crawl_site_rules
from webseam.composition.features.bulk.commands import crawl, map as site_map
from webseam.composition.features.bulk.sources import recognise_source
from webseam.composition.features.index.document_readers import index_location
from webseam.composition.wiring.typed_addresses import typed_url
from webseam.kernel.features.bulk.url_lists import read_url_list
from webseam.kernel.middleware.arguments import check_extract_arguments

TYPED = ("example.com", "example.com/tides?x=1#top", "münchen.example", "example.com:8080/a")
OTHERS = ("tides", "localhost", "mailto:a@b.example", "javascript:a.b", "ftp://a.example", "a b.c")


@pytest.mark.parametrize("typed", TYPED)
def test_each_door_completes_a_host_name(typed: str, tmp_path: Path) -> None:
    url = f"https://{typed}"
    entries = read_url_list([typed], "text", "list", None).unwrap()

    assert typed_url(typed) == url
    assert check_extract_arguments({"urls": [typed]}).unwrap().urls == (url,)
    assert recognise_source(typed).unwrap().name == url
    assert [entry.url for entry in entries] == [url]
    assert index_location(typed).startswith("https://")
    for command in (crawl, site_map):
        words = [typed, "-o", str(tmp_path)] if command is crawl else [typed]
        assert crawl_site_rules(command.command_line().parse_args(words)).start == url


@pytest.mark.parametrize("typed", OTHERS)
def test_other_words_stay_as_they_are(typed: str) -> None:
    assert typed_url(typed) is None
    assert check_extract_arguments({"urls": [typed]}).unwrap().urls == (typed,)


def test_a_file_comes_before_a_host_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example.com").write_text("text")

    assert index_location("example.com") == str(tmp_path / "example.com")
    assert recognise_source("example.com").failure().kind == "invalid_query"


@pytest.mark.parametrize("name", ["notes.md", "report.pdf", "urls.txt", "pages.csv", "a.jsonl"])
def test_a_missing_file_is_no_host(name: str) -> None:
    assert recognise_source(name).failure().kind == "invalid_query"


def test_an_agent_may_name_a_host() -> None:
    bench = Bench()

    envelope = json.loads(json.dumps(bench.call("web_extract", {"url": "a.example"})))

    assert envelope["data"]["results"][0]["url"] == "https://a.example"
