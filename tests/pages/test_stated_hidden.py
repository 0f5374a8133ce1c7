"""Hidden text that a page states as its own is read and told; no other hidden text is."""

import json
from collections.abc import Mapping

import pytest

from .read import PARAGRAPH, article, page

PARTS = ["2 spoons of oil", "1 large onion", "400 g white beans"]
STEPS = ["Brown the onion in the oil.", "Add the beans and cook for an hour."]
RECIPE = {
    "@type": "Recipe",
    "recipeIngredient": PARTS,
    "recipeInstructions": [{"@type": "HowToStep", "text": step} for step in STEPS],
}
CARD = (
    "<div class=card style='display:none'><ul>"
    + "".join(f"<li><b>{part}</b></li>" for part in PARTS)
    + "</ul><p>SECRET</p><ol>"
    + "".join(f"<li>{step}</li>" for step in STEPS)
    + "</ol>SECRET</div>"
)
NOTE = "kept hidden text that the page states as its own in linked data"
REST = "".join(f"<p>In the {n} year, {PARAGRAPH}</p>" for n in ("second", "third", "fourth"))


def head(*things: Mapping[str, object]) -> str:
    return f"<script type=application/ld+json>{json.dumps(list(things))}</script>"


@pytest.mark.parametrize("types", ["Recipe", ["NewsArticle", "Recipe"], [{}, 3, "Recipe"]])
def test_hidden_card_that_linked_data_state_is_read_without_the_rest_of_it(types: object) -> None:
    document = page(article(CARD, head({**RECIPE, "@type": types})))

    assert [line for line in (*PARTS, *STEPS) if line in document.content] == [*PARTS, *STEPS]
    assert "SECRET" not in document.content
    assert NOTE in document.notes


@pytest.mark.parametrize(
    "things",
    [
        (),
        ({**RECIPE, "recipeIngredient": ["3 eggs"], "recipeInstructions": []},),
        ({"@type": "Comment", "text": PARTS[0]},),
        (RECIPE, {"@type": "NewsArticle", "isAccessibleForFree": False}),
    ],
)
def test_hidden_card_that_is_not_stated_or_walled_is_not_read(
    things: tuple[Mapping[str, object], ...],
) -> None:
    document = page(article(CARD, head(*things)))

    assert PARTS[0] not in document.content
    assert NOTE not in document.notes


def test_hidden_copy_of_shown_text_is_not_read_twice() -> None:
    shown = "<ul>" + "".join(f"<li>{part}</li>" for part in PARTS) + "</ul>"
    content = page(article(shown + CARD.replace(STEPS[0], ""), head(RECIPE))).content

    assert content.count(PARTS[1]) == 1


def test_hidden_paragraphs_that_linked_data_give_as_the_body_are_read() -> None:
    body = {
        "@type": "NewsArticle",
        "articleBody": f"In the second year, {PARAGRAPH} And then more.",
    }
    hidden = f"<div hidden><p>In the second year, {PARAGRAPH}</p><p>SECRET</p></div>"

    document = page(article(hidden, head(body)))

    assert "In the second year" in document.content
    assert "SECRET" not in document.content


@pytest.mark.parametrize("declared", [True, "True", "https://schema.org/True"])
def test_hidden_rest_of_a_text_declared_free_is_read_and_told(declared: object) -> None:
    thing = {"@type": "NewsArticle", "headline": "The harbour", "isAccessibleForFree": declared}

    document = page(article(f"<div class=paywall hidden>{REST}</div>", head(thing)))

    assert "In the fourth year" in document.content
    assert "kept the hidden rest of a text that the page declares free" in document.notes
    assert (document.complete, document.access) == (True, "free")


@pytest.mark.parametrize("things", [(), ({"@type": "NewsArticle", "isAccessibleForFree": False},)])
def test_page_that_hides_most_of_its_text_is_not_complete(
    things: tuple[Mapping[str, object], ...],
) -> None:
    hidden = REST.removesuffix(REST[REST.rindex("<p>") :])

    document = page(article(f"<div class=paywall hidden>{hidden}</div>", head(*things)))

    assert "In the third year" not in document.content
    assert not document.complete
