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


HTML = f"<p>{PARAGRAPH}</p><script>alert(1)</script><p>Later, {PARAGRAPH}</p>"


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
        f"<script>window.__remixContext = {scripted(DATA)};</script>",
        f"<script>var a = JSON.parse({scripted(json.dumps(DATA))});</script>",
        f"<script type=application/json>{scripted({'status': 200, 'body': json.dumps(DATA)})}</script>",
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


BOLD = {"type": "text", "text": "held"}
PROSE = {
    "type": "doc",
    "content": [
        {"type": "heading", "attrs": {"level": 3}, "content": [{"type": "text", "text": "Stages"}]},
        {"type": "paragraph", "content": [{"type": "text", "text": f"{PARAGRAPH} It "}, BOLD]},
        {"type": "bulletList", "content": [{"type": "listItem", "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": "oak"}]}]}]},
        {"type": "codeBlock", "content": [{"type": "text", "text": "dig()"}]},
    ],
}  # fmt: skip
CONTENTFUL = {
    "nodeType": "document",
    "content": [
        {"nodeType": "heading-3", "content": [{"nodeType": "text", "value": "Stages"}]},
        {"nodeType": "paragraph", "content": [
            {"nodeType": "text", "value": f"{PARAGRAPH} It "},
            {"nodeType": "text", "value": "held"}]},
        {"nodeType": "unordered-list", "content": [{"nodeType": "list-item", "content": [
            {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": "oak"}]}]}]},
        {"nodeType": "code", "content": [{"nodeType": "text", "value": "dig()"}]},
    ],
}  # fmt: skip
SANITY = [
    {"_type": "block", "style": "h3", "children": [{"_type": "span", "text": "Stages"}]},
    {"_type": "block", "style": "normal", "children": [
        {"_type": "span", "text": f"{PARAGRAPH} It "}, {"_type": "span", "text": "held"}]},
    {"_type": "block", "style": "normal", "listItem": "bullet", "children": [{"_type": "span", "text": "oak"}]},
    {"_type": "code", "children": [{"_type": "span", "text": "dig()"}]},
]  # fmt: skip
HAST = {"type": "root", "children": [
    {"type": "element", "tagName": "h3", "children": [{"type": "text", "value": "Stages"}]},
    {"type": "element", "tagName": "p", "children": [
        {"type": "text", "value": f"{PARAGRAPH} It "},
        {"type": "element", "tagName": "b", "children": [{"type": "text", "value": "held"}]}]},
    {"type": "element", "tagName": "ul", "children": [
        {"type": "element", "tagName": "li", "children": [{"type": "text", "value": "oak"}]}]},
    {"type": "element", "tagName": "pre", "children": [{"type": "text", "value": "dig()"}]},
]}  # fmt: skip
MARKDOWN = f"### Stages\n\n{PARAGRAPH} It held\n\n- oak\n\n```\ndig()\n```\n"


@pytest.mark.parametrize(
    "body",
    [PROSE, CONTENTFUL, SANITY, HAST, MARKDOWN],
    ids=["prosemirror", "contentful", "sanity", "hast", "markdown"],
)
def test_text_that_an_editor_keeps_as_data_is_read_with_its_structure(body: object) -> None:
    data = {
        "props": {
            "post": {"body": body},
            "footer": {"text": f"All rights. {PARAGRAPH} {PARAGRAPH}"},
        }
    }
    content = page(
        shell(f"<script id=__NEXT_DATA__ type=application/json>{scripted(data)}</script>")
    )

    assert content.content == (f"### Stages\n\n{PARAGRAPH} It held\n\n- oak\n\n```\ndig()\n```")


LEXICAL = {
    "root": {
        "type": "root",
        "children": [
            {"type": "heading", "tag": "h2", "children": [{"type": "text", "text": "Stages"}]},
            {"type": "paragraph", "children": [{"type": "text", "text": PARAGRAPH, "format": 0}]},
            {"type": "list", "tag": "ol", "children": [
                {"type": "listitem", "children": [{"type": "text", "text": "oak"}]},
            ]},
        ],
    }
}  # fmt: skip
SLATE = [
    {"type": "h2", "children": [{"text": "Stages"}]},
    {"type": "paragraph", "children": [{"text": PARAGRAPH}]},
    {"type": "ol", "children": [{"type": "li", "children": [{"text": "oak"}]}]},
]


@pytest.mark.parametrize("tree", [LEXICAL, json.dumps(LEXICAL), SLATE])
def test_trees_of_lexical_and_slate_are_read(tree: object) -> None:
    content = page(shell(f"<div data-props='{quoted({'body': tree})}'></div>")).content

    assert content == f"## Stages\n\n{PARAGRAPH}\n\n1. oak"


def test_noframes_text_is_read_where_there_is_no_other() -> None:
    html_text = (
        f"<frameset><frame src=a><noframes><h1>Mole</h1><p>{PARAGRAPH}</p></noframes></frameset>"
    )

    assert page(html_text).content == f"# Mole\n\n{PARAGRAPH}"


@pytest.mark.parametrize(
    "script",
    [
        "a={" * 100_000,
        "a=[" + "[" * 100_000,
        "a={x:'" + "b={x:'" * 100_000,
        'a={"x":"' + "y" * 500_000,
        "window.__NUXT__=(function(" * 50_000,
        "window.__NUXT__=(function(a){return {a:a}}(",
        "a={x:function(){}};b={...c};d={e:`${f}`};g={h",
        'self.__next_f.push([1,"0:' + "[" * 100_000 + '"])',
        'self.__next_f.push([1,"a:Tffffffff,x"])',
    ],
)
def test_scripts_without_data_leave_the_shell_empty(script: str) -> None:
    assert isinstance(refusal(shell(f"<script>{script}</script>")), EmptyContent)
