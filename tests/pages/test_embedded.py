"""Pages that are an empty shell and carry their text as data for a script."""

import html
import json

import pytest

from webseam.ports.errors import EmptyContent

from .read import PARAGRAPH, page, refusal

NOTE = "read from data that the page carries for its script"
DATA = {
    "locale": "en-GB",
    "props": {
        "article": {
            "title": "The old mole",
            "body": f"<p>{PARAGRAPH}</p><script>alert(1)</script><p>Later, {PARAGRAPH}</p>",
            "image": "https://example.com/a.jpg",
        },
        "style": ".mole { margin: 0 auto; padding: 1px 2px 3px 4px; border: 0 none transparent; }",
    },
}
LISTED = {"blocks": [{"type": "text", "text": f"{n}: {PARAGRAPH}"} for n in range(3)]}


def shell(inside: str) -> str:
    return (
        "<html><head><title>Mole</title><script src=/a.js></script><script src=/b.js></script>"
        f"</head><body><div id=root></div>{inside}</body></html>"
    )


def scripted(data: object) -> str:
    return json.dumps(data).replace("</", "<\\/")


def quoted(data: object) -> str:
    return html.escape(json.dumps(data))


@pytest.mark.parametrize(
    "inside",
    [
        f"<script id=__NEXT_DATA__ type=application/json>{scripted(DATA)}</script>",
        f"<div data-react-props='{quoted(DATA)}'></div>",
        f"<div id=app data-page='{quoted(DATA)}'></div>",
        f"<script>window.__INITIAL_STATE__ = {scripted(DATA)}; start()</script>",
    ],
)
def test_the_text_of_a_shell_is_read_from_its_data(inside: str) -> None:
    document = page(shell(inside))

    assert "## The old mole" in document.content
    assert f"Later, {PARAGRAPH}" in document.content
    assert not any(word in document.content for word in ("alert", "margin", "a.jpg", "en-GB"))
    assert document.notes == (NOTE,)
    assert document.title == "Mole"


def test_plain_strings_are_paragraphs_in_their_order() -> None:
    content = page(shell(f"<div data-props='{quoted(LISTED)}'></div>")).content

    assert content == "\n\n".join(f"{n}: {PARAGRAPH}" for n in range(3))


@pytest.mark.parametrize(
    "inside",
    [
        "<script type=application/json>{broken</script>",
        "<script type=application/json>" + "[" * 100_000 + "</script>",
        "<script type=application/json>[1, 2, null]</script>",
        f"<div data-props='{quoted({'text': 'Too little to be a page.'})}'></div>",
    ],
)
def test_data_without_text_leaves_the_shell_empty(inside: str) -> None:
    assert refusal(shell(inside)) == EmptyContent(
        reason="needs_browser", url="https://example.com/guide/page.html"
    )


def test_a_page_with_text_of_its_own_is_not_read_from_its_data() -> None:
    script = f"<script type=application/json>{json.dumps(LISTED)}</script>"

    document = page(f"<main><h1>Quay</h1><p>Today, {PARAGRAPH}</p></main>{script}")

    assert "0: The harbour" not in document.content
    assert document.notes == ()
