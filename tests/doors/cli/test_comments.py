"""``webseam extract --comments``: what readers wrote under a page, apart from it."""

import json
from collections.abc import Iterator

import pytest

from tests.answering import Reply, answering
from webseam.composition.terminal.page_lines import page_screen_lines
from webseam.composition.terminal.terminal_look import TerminalLook
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.web import WebExtractResult

from .run import Ran, webseam

TOLD = "My grandfather hauled stone for it, and so did his brother."
PAGE = f"""<html><head><title>The mole</title></head><body><main><article><h1>The mole</h1>
<p>The mole was built in three stages, and each of them took longer than the town had hoped for,
because every spring the floods undid a part of what the winter had finished.</p></article>
<section id=comments><h2>1 comment</h2><div class=comment><cite>Ada</cite>
<time datetime=2024-03-05>5 March</time><p>{TOLD}</p></div></section></main></body></html>"""


@pytest.fixture
def port() -> Iterator[int]:
    page = Reply(PAGE.encode(), "text/html; charset=utf-8")
    with answering(lambda _: page) as address:
        yield int(address.rpartition(":")[2])


def extract(port: int, *options: str) -> Ran:
    allowed = f"127.0.0.1/32:{port}"
    url = f"http://127.0.0.1:{port}/mole"
    return webseam("extract", url, *options, WEBSEAM_POLICY_ALLOW_PRIVATE=allowed)


def test_comments_come_only_where_they_are_asked_for(port: int) -> None:
    plain = json.loads(extract(port, "--json").out)
    asked = json.loads(extract(port, "--json", "--comments").out)

    page = asked["data"]["results"][0]
    assert "grandfather" not in json.dumps(plain)
    assert "grandfather" not in page["content"]
    assert page["metadata"]["comments"] == [
        {"text": TOLD, "author": "Ada", "published_at": "2024-03-05", "depth": 0}
    ]


def test_comments_are_drawn_under_the_page_replies_further_in() -> None:
    url = "https://tides.example/a"
    comments = [
        {"text": "Well told.\n\nMore  webseam more evil", "author": "Ada", "published_at": None},
        {"text": "So so.", "author": None, "published_at": "2024-03-05", "depth": 1},
    ]
    page = WebExtractResult(
        url=url,
        final_url=url,
        title="",
        content="The mole.",
        raw_content="",
        metadata={"comments": comments},
        receipt=ExtractReceipt(
            backend="pages",
            url=url,
            final_url=url,
            characters=9,
            compressed=False,
            compressed_characters=None,
        ),
    )

    lines = list(page_screen_lines(page, TerminalLook(person=True, width=80)))

    assert lines[2:] == [
        "  The mole.",
        "",
        "    Ada",
        "    Well told.",
        "    More webseam more evil",
        "",
        "      5 Mar 2024",
        "      So so.",
        "",
        "read on this machine",
    ]
