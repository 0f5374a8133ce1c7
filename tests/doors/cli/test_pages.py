"""``webseam extract`` and ``webseam read`` as a new user tries them."""

import json
import re
from pathlib import Path

import pytest

from tests.features.browser.scripts import GONE, answered, navigated, paused, quiet, script
from tests.features.browser.support import scripted_browser
from webseam.testing import FaultyServer

from .run import Ran, webseam, webseam_process

LEFT_OUT = re.compile(
    r"webseam: left out: menus \(1 word\); to read it: webseam more [0-9a-f]+ --part menus\n"
)
PAGE = (
    "<html><head><title>Tides</title></head><body><nav><a href=/>Home</a></nav><main><h1>Tides</h1>"
    "<p>The tide tables list <a href=/high>high</a> and low water for every harbour on the coast, "
    "for every day of the year, in local time.</p></main></body></html>"
)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Tides", ["# Tides"]),
        ("Tides - The Harbour", ["# Tides"]),
        ("Tides|The Harbour", ["# Tides"]),
        ("Tides of the year", ["# Tides of the year", "# Tides"]),
        ("Tides: a history", ["# Tides: a history", "# Tides"]),
    ],
)
def test_a_title_is_not_said_twice(tmp_path: Path, title: str, shown: list[str]) -> None:
    saved = tmp_path / "page.html"
    saved.write_text(PAGE.replace("<title>Tides", f"<title>{title}"))

    out = webseam("read", str(saved)).out

    assert [line for line in out.splitlines() if line.startswith("#")] == shown


def extract(server: FaultyServer, fault: str, *options: str) -> Ran:
    allowed = f"127.0.0.1/32:{server.ports['main']}"
    return webseam("extract", server.url(fault), *options, WEBSEAM_POLICY_ALLOW_PRIVATE=allowed)


def test_a_page_is_read_without_any_key(faulty_server: FaultyServer) -> None:
    allowed = f"127.0.0.1/32:{faulty_server.ports['main']}"

    ran = webseam_process("extract", faulty_server.url("ok"), WEBSEAM_POLICY_ALLOW_PRIVATE=allowed)

    assert (ran.code, ran.err) == (0, "")
    assert "The quick brown fox jumps over the lazy dog. MARKER-OK" in ran.out


def test_a_page_as_json_says_who_served_it(faulty_server: FaultyServer) -> None:
    document = json.loads(extract(faulty_server, "ok", "--json").out)

    assert document["success"] is True
    assert document["receipt"]["backend"] == "pages"


def test_a_private_page_is_refused_with_the_setting(faulty_server: FaultyServer) -> None:
    ran = webseam("extract", faulty_server.url("ok"))

    assert ran.code == 4
    assert "To allow it, set “policy.allow_private: [127.0.0.1/32:" in ran.err


def test_a_page_without_text_says_that_it_needs_a_browser(faulty_server: FaultyServer) -> None:
    ran = extract(faulty_server, "js_shell")

    assert (ran.code, ran.out) == (4, "")
    assert ran.err.endswith("it needs a browser. Try --render auto.\n")


def test_a_page_without_text_is_rendered_when_that_is_asked_for(
    faulty_server: FaultyServer, tmp_path: Path
) -> None:
    url = faulty_server.url("js_shell")
    play = script(paused(url), answered(url=url), GONE, navigated(), quiet(), html=PAGE, url=url)
    settings = {
        "WEBSEAM_POLICY_ALLOW_PRIVATE": f"127.0.0.1/32:{faulty_server.ports['main']}",
        "WEBSEAM_RENDER_BROWSER": scripted_browser(tmp_path, play),
        # As root, nobody else could run it where it is.
        "WEBSEAM_RENDER_SANDBOX": "false",
    }

    rendered = webseam("extract", url, "--render", "auto", **settings)
    again = webseam("extract", url, **settings)

    assert rendered.code == 0
    assert rendered.err.startswith("webseam: left out: menus (1 word)")
    assert "low water for every harbour" in rendered.out
    # What was rendered is not what one gets without asking for it.
    assert again.code == 4


def test_a_browser_that_is_not_there_is_said_with_the_setting(faulty_server: FaultyServer) -> None:
    ran = extract(faulty_server, "js_shell", "--render", "auto", "--no-cache")

    assert ran.code == 4
    assert "render.browser" in ran.err


def test_settings_that_cannot_be_read_are_said() -> None:
    ran = webseam("extract", "https://a.example/", WEBSEAM_POLICY_PORTS="http")

    assert ran.code == 3
    assert ran.err.startswith("webseam: ")


def test_a_file_is_read_with_links_made_absolute(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)

    ran = webseam("read", str(tmp_path / "page.html"), "--url", "https://a.example/x/")

    assert (ran.code, LEFT_OUT.fullmatch(ran.err) is not None) == (0, True), ran.err
    assert ran.out.startswith("# Tides\n\nThe tide tables list [high](https://a.example/high)")
    assert "Home" not in ran.out


def test_notes_on_a_file_are_told_beside_it(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE.replace("low water", "low\u200b wa\u200bter"))

    ran = webseam("read", str(tmp_path / "page.html"))
    as_json = webseam("read", str(tmp_path / "page.html"), "--json")

    removed, left_out = ran.err.splitlines(keepends=True)
    assert removed == "webseam: removed 2 invisible characters\n"
    assert LEFT_OUT.fullmatch(left_out)
    assert "low water" in ran.out
    assert "removed" not in ran.out
    assert as_json.err == ""
    assert json.loads(as_json.out)["data"]["results"][0]["notes"]


def test_notes_on_a_page_are_told_beside_it(faulty_server: FaultyServer) -> None:
    told = "removed 5 hidden parts"

    for options in ((), ("--no-cache",), ("--format", "markdown"), ("--format", "csv")):
        ran = extract(faulty_server, "inj_hidden", *options)
        lines = f"webseam: {told}\nwebseam: left out: hidden (5 words)\n"
        assert (ran.code, ran.err) == (0, lines), options
        assert told not in ran.out

    for options in (("--json",), ("--format", "jsonl")):
        ran = extract(faulty_server, "inj_hidden", *options)
        assert ran.err == ""
        assert told in ran.out


def test_notes_on_one_of_many_pages_say_on_which(faulty_server: FaultyServer) -> None:
    allowed = f"127.0.0.1/32:{faulty_server.ports['main']}"
    first, second = faulty_server.url("ok"), faulty_server.url("inj_hidden")

    ran = webseam("extract", first, second, WEBSEAM_POLICY_ALLOW_PRIVATE=allowed)

    assert ran.err == (
        f"webseam: removed 5 hidden parts ({second})\n"
        f"webseam: left out: hidden (5 words) ({second})\n"
    )


def test_notes_on_a_page_in_a_file_are_told_too(
    faulty_server: FaultyServer, tmp_path: Path
) -> None:
    ran = extract(faulty_server, "inj_hidden", "-o", str(tmp_path / "page.md"))
    as_json = extract(faulty_server, "inj_hidden", "-o", str(tmp_path / "page.json"))

    assert "webseam: removed 5 hidden parts\n" in ran.err
    assert "removed" not in as_json.err


def test_standard_input_is_read_too() -> None:
    ran = webseam_process("read", "-", "--json", given=PAGE)

    envelope = json.loads(ran.out)

    assert (envelope["success"], envelope["failed"]) == (True, 0)
    assert envelope["data"]["results"][0]["title"] == "Tides"


def test_a_file_as_json_has_the_shape_of_a_page_of_the_web(
    faulty_server: FaultyServer, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    web = json.loads(extract(faulty_server, "ok", "--receipt").out)

    ran = webseam(
        "read", str(tmp_path / "page.html"), "--url", "https://a.example/?token=s3", "--receipt"
    )

    envelope = json.loads(ran.out)
    page, receipt = envelope["data"]["results"][0], envelope["receipt"]["pages"][0]
    assert envelope.keys() == web.keys()
    assert page.keys() == web["data"]["results"][0].keys()
    assert receipt.keys() == web["receipt"]["pages"][0].keys()
    assert (page["url"], page["error"]) == ("https://a.example/?token=s3", None)
    assert (envelope["receipt"]["backend"], receipt["url"]) == (
        "read",
        "https://a.example/?token=***",
    )


def test_a_file_that_is_no_page_is_a_failed_page_in_json(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))

    ran = webseam("read", str(tmp_path / "x.html"), "--json")

    envelope = json.loads(ran.out)
    assert ran.code == 4
    assert (envelope["success"], envelope["failed"]) == (False, 1)
    assert envelope["data"]["results"][0]["error"]["kind"] == "unsupported_content"
    assert envelope["failure"]["kind"] == "unsupported_content"


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        (
            "a b#1.ipynb",
            '{"cells": [{"cell_type": "markdown", "source": "# Tides"}], "nbformat": 4}',
            "# Tides\n",
        ),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\nHigh water\n", "[0:01] High water\n"),
        ("a.py", "print(1)\n", "```python\nprint(1)\n```\n"),
    ],
)
def test_a_files_name_says_what_it_is(tmp_path: Path, name: str, text: str, shown: str) -> None:
    (tmp_path / name).write_text(text)

    ran = webseam("read", str(tmp_path / name))

    assert (ran.code, ran.out) == (0, shown)


def test_a_budget_holds_for_files_too(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("word " * 1000)

    ran = webseam("read", str(tmp_path / "long.txt"), "--max-chars", "300")

    assert len(ran.out) <= 301
    assert "characters left out" in ran.out


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    ran = webseam("read", str(tmp_path / "none.html"))

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("cannot be read: no such file or directory.\n")


def test_a_picture_is_no_page(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))

    ran = webseam("read", str(tmp_path / "x.html"))

    assert ran.code == 4
    assert ran.err == (
        "webseam: This is image/png, not a page that can be read. "
        "To read it, set vision.provider and vision.model.\n"
    )


def test_an_address_that_is_no_text_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)

    ran = webseam("read", str(tmp_path / "page.html"), "--url", "https://a.example/\udcff")

    assert (ran.code, ran.err) == (2, "webseam: --url: is not valid Unicode text.\n")


def test_text_behind_a_wall_is_taken_where_it_is_asked_for(tmp_path: Path) -> None:
    lines = [
        f"The tide tables of harbour {n} list high and low water for every day of the year."
        for n in range(30)
    ]
    data = json.dumps(
        {"@type": "NewsArticle", "isAccessibleForFree": False, "articleBody": "\n".join(lines)}
    )
    saved = tmp_path / "page.html"
    saved.write_text(
        PAGE.replace("</head>", f"<script type=application/ld+json>{data}</script></head>")
    )

    assert lines[9] not in webseam("read", str(saved)).out
    assert lines[9] in webseam("read", str(saved), "--walled").out
