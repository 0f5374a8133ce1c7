"""Cards that repeat are the items of a list in markdown."""

import pytest
from turbohtml import parse

from webseam.adapters.documents.reader.rendering.markdown import render_markdown, tidy_tree

from .read import article, page

BASE = "https://example.com/"


def markdown(html: str) -> str:
    root = parse(f"<main>{html}</main>", positions=False).find("main")
    assert root is not None
    tidy_tree(root, BASE)
    return render_markdown(root)[0]


def cards(*inside: str, tag: str = "div") -> str:
    return "\n".join(f"<{tag} class='card n-{n}'>{card}</{tag}>" for n, card in enumerate(inside))


@pytest.mark.parametrize("tag", ["article", "div", "section"])
def test_cards_that_begin_with_a_link_are_items(tag: str) -> None:
    lamps = [f"<a href=/{name}>{name} lamp</a><p>{price} €</p>" for name, price in PRICES]

    assert markdown(f"<div>{cards(*lamps, tag=tag)}</div>") == (
        "- [Brass lamp](https://example.com/Brass)\n\n  20 €\n\n"
        "- [Glass lamp](https://example.com/Glass)\n\n  30 €\n\n"
        "- [Clay lamp](https://example.com/Clay)\n\n  5 €"
    )


PRICES = (("Brass", 20), ("Glass", 30), ("Clay", 5))


def test_cards_with_a_heading_that_is_a_link_are_items_whatever_stands_over_it() -> None:
    stories = [f"<p>News</p><h3><a href=/{n}>Story {n}</a></h3>" for n in range(3)]
    linked = [f"<p>News</p><a href=/{n}><h3>Story {n}</h3></a>" for n in range(3)]

    for some in (stories, linked):
        content = markdown(cards(*some))
        assert content.startswith("- News\n")
        assert content.count("\n  ### [Story") == 3


def test_links_around_whole_cards_are_items() -> None:
    stages = "".join(f"<a class=card href=/{n}><div>Stage {n}</div><p>Cut</p></a>" for n in "123")

    assert markdown(stages).startswith("- [Stage 1](https://example.com/1)\n\n  Cut\n\n- [Stage 2]")


def test_only_links_are_items_in_a_row() -> None:
    assert markdown(cards(*[f"<a href=/{n}>{n}</a>" for n in "abc"])) == (
        "- [a](https://example.com/a)\n- [b](https://example.com/b)\n- [c](https://example.com/c)"
    )


LINK = "<a href=/x>The quay</a>"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(cards(LINK, LINK), id="only two"),
        pytest.param(cards("The quay", LINK, LINK), id="one begins without a link"),
        pytest.param(cards(*["<h2>The quay</h2><p>It held.</p>"] * 3), id="headings alone"),
        pytest.param(cards(LINK, LINK, f"{LINK} {'stone ' * 120}"), id="a long one"),
        pytest.param(cards(*[f"<h2>{LINK}</h2><h3>x</h3>"] * 3), id="several headings"),
        pytest.param(cards(*[f"{LINK}<pre>a\nb</pre>"] * 3), id="code"),
        pytest.param(f"<div>{LINK} {LINK} {LINK}</div>", id="links in a line"),
        pytest.param(f"{cards(LINK)}stone{cards(LINK)}stone{cards(LINK)}", id="text between"),
        pytest.param(f"<div>{LINK}</div><div class=a>{LINK}</div><div class=b>{LINK}</div>", id="makes"),
        pytest.param("<div></div>" * 3, id="nothing"),
        pytest.param(f"<table><tr><td>{cards(LINK, LINK, LINK)}</td><td>x</td></tr></table>", id="in a cell"),
        pytest.param(
            f"<table><tr><td><div>{cards(LINK, LINK, LINK)}</div></td><td>x</td></tr></table>",
            id="in a box in a cell",
        ),
        pytest.param(cards(*[f"{'<u></u>' * 200}{LINK}"] * 3), id="many nodes"),
    ],
)  # fmt: skip
def test_what_is_not_surely_a_card_is_no_item(html: str) -> None:
    assert "- " not in markdown(html).replace("---", "")


def test_remarks_between_cards_do_not_part_them() -> None:
    html = "<!-- ad -->".join(cards(f"<a href=/{n}>{n}</a>") for n in "abc")

    assert page(html).content.count("- [") == 3


def test_a_list_of_cards_in_an_article_is_one() -> None:
    lamps = [f"<h3><a href=/{name}>{name} lamp</a></h3><p>{price} €</p>" for name, price in PRICES]

    content = page(article(f"<div>{cards(*lamps)}</div>")).content

    assert "\n- ### [Brass lamp](https://example.com/Brass)\n" in content
