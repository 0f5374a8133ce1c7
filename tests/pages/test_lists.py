"""A list that only lays the page out is none, and so is a term without words."""

import pytest
from turbohtml import parse

from webseam.adapters.reader.rendering.markdown import render_markdown, tidy_tree

from .read import PARAGRAPH, article, page

BASE = "https://example.com/"
SAID = f"<p>{PARAGRAPH}</p>" * 5


def markdown(html: str) -> str:
    root = parse(f"<main>{html}</main>", positions=False).find("main")
    assert root is not None
    tidy_tree(root, BASE)
    return render_markdown(root)[0]


def test_the_only_footnote_stays_one_however_much_it_says() -> None:
    note = f"<ol><li id=n1>{SAID} <a href=#r1>↩</a></li></ol>"

    content = markdown(f"<p>It held.<sup><a id=r1 href=#n1>1</a></sup></p>{note}")

    assert content.startswith(f"It held.[^1]\n\n[^1]: {PARAGRAPH}\n\n    The harbour")


def test_an_article_in_the_item_of_a_list_is_read_as_one() -> None:
    content = page(f"<ul><li>{article('')}</li></ul>").content

    assert content == f"# The harbour\n\n{PARAGRAPH}\n\nLater, {PARAGRAPH}"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<dl><dt><img src=a.png></dt><dd>Oak.</dd><dd>Stone.</dd></dl>", "Oak.\n\nStone."),
        ("<dl><dd>Oak.</dd><dt>Weir</dt><dd>A dam.</dd></dl>", "Oak.\n\nWeir\n\n: A dam."),
        ("<dl><dt>Weir</dt><dt></dt><dd>A dam.</dd></dl>", "Weir\n\n: A dam."),
        ("<dl><dt>Weir</dt><dd>A dam.</dd><dt></dt><dd>Oak.</dd></dl>", "Weir\n\n: A dam.\n\nOak."),
    ],
)
def test_definition_without_a_term_is_a_paragraph(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>ox</li> <li><ul><li>cart</li></ul></li></ul>", "- ox\n  - cart"),
        ("<ul><li><ul><li>ox</li></ul></li><li>cart</li></ul>", "- ox\n- cart"),
        ("<ul><li> <ol><li>ox</li><li>cart</li></ol></li></ul>", "- 1. ox\n  2. cart"),
        ("<ul><li><ol><li>ox</li></ol></li><li>cart</li></ul>", "- 1. ox\n- cart"),
        ("<ul><li>ox</li><li><div><ul><li>cart</li></ul></div></li></ul>", "- ox\n  - cart"),
        ("<ul><li><div><ul><li>ox</li></ul></div></li><li>cart</li></ul>", "- ox\n- cart"),
        (
            "<ol><li>ox</li><li><ul><li>cart</li></ul></li><li>barge</li></ol>",
            "1. ox\n   - cart\n2. barge",
        ),
        ("<ol><li><br>ox</li><li><br><br>cart</li></ol>", "1. ox\n2. cart"),
    ],
)
def test_an_item_that_only_goes_deeper_has_no_mark_of_its_own(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_task_lists_are_ticked_and_forms_are_not() -> None:
    box = '<input type="checkbox" disabled{}>'.format
    done = f"<ul><li>{box(' checked')} Dig the basin \\[x\\]</li><li><p>{box('')} Build the wall</p></li></ul>"
    offered = "<ul><li><input type=checkbox checked> Send me news of the quay</li></ul>"

    content = page(article(f"<p>{PARAGRAPH}</p>{done}<p>{PARAGRAPH}</p>{offered}")).content

    assert "- [x] Dig the basin" in content
    assert "- [ ] Build the wall" in content
    assert "[x] Send" not in content
    assert "[x" not in page(article(f"<p>{box(' checked')} Dig {PARAGRAPH}</p>")).content


def test_an_item_that_begins_with_an_empty_heading_has_no_mark_of_one() -> None:
    assert markdown("<ul><li><h3> </h3><p>ox</p></li><li><h1></h1>cart</li></ul>") == "- ox\n- cart"


@pytest.mark.parametrize(
    "term",
    [
        "<strong>depth</strong><span class=classifier>int</span>",
        "<strong>depth</strong> <span class=classifier-delimiter>:</span> <span class=classifier>int</span>",
    ],
)
def test_code_and_type_of_a_term_are_set_apart(term: str) -> None:
    content = page(article(f"<dl><dt>{term}</dt><dd>How deep.</dd></dl>")).content

    assert "\n\n**depth** : int\n\n: How deep.\n\n" in content


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><ul><li>Alpha</li><li>Beta</li></ul></ul>", "- Alpha\n- Beta"),
        ("<ul><ul><li>Alpha</li><li>Beta</li></ul><li>Gamma</li></ul>", "- Alpha\n- Beta\n- Gamma"),
        ("<ul><p>These are:</p><ul><li>Alpha</li></ul></ul>", "These are:\n\n- Alpha"),
        (
            "<ul><li>Alpha</li><ul><li>Beta</li></ul><li>Gamma</li></ul>",
            "- Alpha\n  - Beta\n- Gamma",
        ),
    ],
)
def test_a_list_that_only_moves_another_one_in_is_none(html: str, markdown: str) -> None:
    assert f"finished.\n\n{markdown}\n\nLater" in page(article(html)).content
