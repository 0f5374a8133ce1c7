"""``more`` and ``extract``: the parts that were left out of a page, and words in all of it."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.doors.cli.api import Api
from tests.doors.cli.run import webseam
from webseam.adapters.stores.text_files import TextFiles
from webseam.kernel.pages.page_record import PageRecord, PageSource, write_page_record
from webseam.ports.pages import LeftOut, PagePart, PageReading

URL = "https://shop.example/kettle"
PAGE = PageRecord(
    source=PageSource(url=URL, final_url=URL),
    content="Boils fast.",
    reading=PageReading(
        view="as sent",
        content_type="text/html",
        complete=True,
        left_out=(LeftOut(kind="comments", words=4), LeftOut(kind="hidden", words=2)),
        parts=(
            PagePart(kind="comments", text="Mine leaks a bit."),
            PagePart(kind="hidden", text="secret words"),
        ),
    ),
)


@pytest.fixture
def handle(tmp_path: Path) -> str:
    texts = TextFiles(tmp_path / "texts")
    return asyncio.run(texts.save(write_page_record(PAGE))).unwrap()


def test_a_part_is_shown_by_its_name_and_has_its_own_position(handle: str, tmp_path: Path) -> None:
    cache = str(tmp_path)

    comments = webseam(
        "more", handle, "--part", "comments", "--max-chars", "5", WEBSEAM_CACHE=cache
    )
    rest = webseam("more", handle, "--part", "comments", "--all", WEBSEAM_CACHE=cache)
    hidden = webseam("more", handle, "--part", "hidden", WEBSEAM_CACHE=cache)
    content = webseam("more", handle, WEBSEAM_CACHE=cache)

    assert comments.out == f"Mine \n\n[more: webseam more {handle} --part comments]\n"
    assert rest.out == "leaks a bit.\n"
    assert rest.err == "webseam: that was the end of its comments.\n"
    assert hidden.out == "secret words\n"
    assert content.out == "Boils fast.\n"


def test_a_part_that_is_not_there_is_refused(handle: str, tmp_path: Path) -> None:
    menus = webseam("more", handle, "--part", "menus", WEBSEAM_CACHE=str(tmp_path))

    assert menus.code == 2
    assert "nothing of the page was left out as menus" in menus.err


def test_every_answer_of_find_is_a_success(handle: str, tmp_path: Path) -> None:
    cache = str(tmp_path)

    found = webseam("more", handle, "--find", "leaks", WEBSEAM_CACHE=cache)
    apart = webseam("more", handle, "--find", "fast leaks", WEBSEAM_CACHE=cache)
    absent = webseam("more", handle, "--find", "warranty", WEBSEAM_CACHE=cache)
    hidden = webseam("more", handle, "--find", "secret", WEBSEAM_CACHE=cache)
    expired = webseam("more", "a" * 24, "--find", "leaks", "--json", WEBSEAM_CACHE=cache)

    assert [ran.code for ran in (found, apart, absent, hidden, expired)] == [0] * 5
    assert found.out == (
        "Found in 1 passage of this page as sent.\n\n[comments, from 0]\nMine leaks a bit.\n"
    )
    assert apart.out.startswith("Every word stands in this page as sent, but no block has all")
    assert absent.out.startswith('Absent: "warranty" stands nowhere in this page as sent.')
    assert f"webseam extract {URL} --render always --find warranty" in absent.err
    assert hidden.out.startswith('Unknown whether "secret" stands in this page as sent: it stands')
    assert json.loads(expired.out)["data"]["reason"] == "expired"


def test_words_are_found_in_a_page_that_is_read(api: Api, tmp_path: Path) -> None:
    url = "https://webseam.example/failures"
    settings = {"WEBSEAM_JSON_EXTRACT_URL": api.url("extract"), "WEBSEAM_CACHE": str(tmp_path)}

    found = webseam("extract", url, "--find", "the", **settings)
    unknown = webseam("extract", url, "--find", "zyzzyva", "--json", **settings)
    several = webseam("extract", url, f"{url}?b", "--find", "the", "--json", **settings)

    assert (found.code, unknown.code) == (0, 0)
    assert found.out.startswith("Found in ")
    data = json.loads(unknown.out)["data"]
    assert (data["status"], data["reason"]) == ("unknown", "other_reader")
    assert len(json.loads(several.out)["data"]["results"]) == 2


def test_invalid_find_options_are_refused_before_a_page_is_read(tmp_path: Path) -> None:
    assert webseam("extract", URL, "--find", " ", WEBSEAM_CACHE=str(tmp_path)).code == 2
    for options in (("--format", "csv"), ("-o", str(tmp_path / "page.md"))):
        ran = webseam("extract", URL, "--find", "x", *options, WEBSEAM_CACHE=str(tmp_path))
        assert ran.code == 2
        assert "--find: prints what it finds" in ran.err


def test_read_keeps_what_it_leaves_out_of_a_file(tmp_path: Path) -> None:
    menu = "<nav><a href=/a>Harbours</a> <a href=/b>Lighthouses</a></nav>"
    saved = tmp_path / "page.html"
    saved.write_text(f"<html><body>{menu}<main><h1>Tides</h1><p>{'High at noon. ' * 30}</p></main>")
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "WEBSEAM_CACHE": str(tmp_path / "cache")}

    ran = webseam("read", str(saved), "--json", "--max-chars", "100", **home)
    receipt = json.loads(ran.out)["receipt"]["pages"][0]
    handle = receipt["handle"]
    rest = webseam("more", handle, "--from", str(receipt["next_cursor"]), **home)
    left_out = webseam("more", handle, "--part", "menus", **home)
    piped = webseam("read", "-", given=saved.read_text(), **home)

    assert "High at noon." in rest.out
    assert "Lighthouses" in left_out.out
    assert "--url keeps it for webseam more" in piped.err


def test_read_keeps_no_key_of_a_url(tmp_path: Path) -> None:
    saved = tmp_path / "page.html"
    saved.write_text("<html><body><nav><a href=/a>Harbours</a></nav><main><p>High at noon.</main>")
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "WEBSEAM_CACHE": str(tmp_path / "cache")}

    ran = webseam("read", str(saved), "--url", "https://a.example/?token=s3cr3t-1234", **home)
    kept = [file.read_bytes() for file in (tmp_path / "cache").rglob("*") if file.is_file()]

    assert "webseam more" in ran.err
    assert kept
    assert not any(b"s3cr3t" in content for content in kept)
