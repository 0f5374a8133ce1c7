"""The page at ``/``: what a browser may do with it, and what it asks the gateway."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.answering import Reply, answering
from tests.features.gateway.keys import new_key
from webseam.composition.features.gateway.playground import (
    playground_calls,
    playground_calls as assets,
)

from .asgi import ROWS, Site

FOLDER = Path(assets.__file__).parent
PAGE = (FOLDER / "index.html").read_text("utf-8")
SCRIPT = (FOLDER / "script.js").read_text("utf-8")
SENT = [
    {"title": "Tides", "url": "https://example.com/tides", "snippet": "High at noon."},
    {"title": "Click", "url": "javascript:alert(1)", "snippet": "no"},
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with answering(lambda _: Reply({"results": SENT})) as served:
        yield f"{served}/search"


@pytest.fixture
def site(tmp_path: Path, address: str) -> Site:
    block = {
        "endpoint": address,
        "method": "POST",
        "body": {"q": "{query}"},
        "results_path": "results",
        "fields": {"title": "title", "url": "url", "snippet": "snippet"},
    }
    (tmp_path / "config.yaml").write_text(json.dumps({"json": {"odd": block}}))
    return Site(tmp_path, "settings")


def test_a_browser_may_do_nothing_but_ask_this_gateway(site: Site) -> None:
    page = site.get("/")

    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    for path, kind in (("style.css", "text/css"), ("script.js", "text/javascript")):
        asset = site.get(f"/playground/{path}")
        assert (asset.status, asset.headers["content-type"]) == (200, f"{kind}; charset=utf-8")


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere() -> None:
    assert not re.search(r"\son\w+=|\sstyle=|<style|<script>|(?:src|href)=.https?:", PAGE)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", SCRIPT)
    # Nothing is fetched but what the gateway has.
    assert set(re.findall(r'"(api/[a-z]+|metrics)"', SCRIPT)) == {
        "api/status",
        "api/search",
        "api/look",
        "api/extract",
        "api/more",
        "metrics",
    }
    # By a path of its own, so that it also works below the prefix of a proxy.
    assert not re.search(r'(?:src|href)="/', PAGE)
    assert not re.search(r'(?:ask|call)\("/', SCRIPT)


def test_elements_of_the_playground_script_are_on_the_page() -> None:
    names = set(re.findall(r'(?:byId|tell|facts)\("([\w-]+)"', SCRIPT))

    assert names <= set(re.findall(r'id="([\w-]+)"', PAGE))


def test_a_search_at_the_root_is_no_page(tmp_path: Path) -> None:
    answer = Site(tmp_path).get("/?q=tides&format=json")

    assert answer.headers["content-type"] == "application/json"
    assert [row["url"] for row in answer.json["results"]] == [row["url"] for row in ROWS]


def test_the_page_is_told_who_can_be_asked(site: Site) -> None:
    status = site.get("/api/status").json["data"]

    assert (status["caller"], status["looks"]) == ("local", True)
    assert {"name": "odd", "paid": False} in status["backends"]
    assert site.post("/api/status", {}).status == 405


def test_a_look_shows_what_was_sent_beside_what_the_checks_say(site: Site) -> None:
    look = site.post("/api/look", {"backend": "odd", "arguments": {"query": "tides"}}).json["data"]

    assert [json.loads(row)["url"] for row in look["raw"]] == [row["url"] for row in SENT]
    assert not look["cut"]
    reply = look["reply"]
    assert [row["url"] for row in reply["data"]["web"]] == [SENT[0]["url"]]
    assert [(row["index"], row["field"]) for row in reply["data"]["rejected"]] == [(1, "url")]
    assert [one["backend"] for one in reply["receipt"]["attempts"]] == ["odd"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"backend": "nobody", "arguments": {"query": "q"}}, "There is no backend named nobody."),
        ({"backend": "odd"}, "Object missing required field arguments."),
        ({"backend": "odd", "arguments": {"query": " "}}, "query"),
        (b"{", "Input data was truncated."),
    ],
    ids=["stranger", "no arguments", "blank", "no JSON"],
)
def test_a_look_that_cannot_be_made_says_why(site: Site, body: object, words: str) -> None:
    answer = site.post("/api/look", body)

    assert answer.status == 400
    assert words in answer.json["error"]


def test_raw_answers_of_backends_need_the_token(tmp_path: Path) -> None:
    site = Site(tmp_path, token="a-token-of-some-length")
    body = {"backend": "index", "arguments": {"query": "q"}}

    assert site.post("/api/look", body).status == 401
    assert site.get("/api/status").status == 401
    assert site.get("/").status == 200


def test_long_answers_are_cut_for_the_page_and_said_to_be(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playground_calls, "_MAX_SHOWN_CHARS", 50)

    look = site.post("/api/look", {"backend": "odd", "arguments": {"query": "tides"}}).json["data"]

    assert look["cut"]
    assert sum(map(len, look["raw"])) == 50 < look["bytes"]


def test_a_key_of_somebody_else_looks_at_nothing(site: Site) -> None:
    own_key = new_key(site, "ann")

    refused = site.post(
        "/api/look",
        {"backend": "odd", "arguments": {"query": "q"}},
        authorization=f"Bearer {own_key}",
    )

    assert refused.status == 403
    status = site.get("/api/status", authorization=f"Bearer {own_key}").json["data"]
    assert status["looks"] is False
