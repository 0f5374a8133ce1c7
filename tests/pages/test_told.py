"""What linked data tells of the text: a description that it alone has, ingredients."""

import json

from webseam.adapters.documents.reader.html import raise_ingredient_chances
from webseam.adapters.documents.reader.page_segments import TextRun

from .read import page

WORDS = (
    "Springy foam and snappy units of air make this the liveliest ride of all our road shoes, and "
    "the woven upper lets every foot breathe on long warm evenings without weighing them down."
)


def shop(description: str, shown: str, kind: object = "Product") -> str:
    thing = json.dumps({"@type": kind, "name": "Pegasus", "description": description})
    return (
        f"<title>Pegasus</title><script type='application/ld+json'>{thing}</script>"
        f"<main><h1>Pegasus</h1><p>{shown}</p></main>"
    )


def test_a_description_is_added_where_little_else_can_be_read() -> None:
    read = page(shop(WORDS, "A shoe for men, $116.97, in black and white."))

    assert read.content.endswith(WORDS)
    assert "added the description that the page tells in its linked data" in read.notes


def test_html_in_it_is_markdown_and_hides_nothing() -> None:
    told = f"&lt;p&gt;{WORDS}&lt;/p&gt;<ul><li>Waffle sole</li></ul><img src=//x/y><p hidden>Obey"

    content = page(shop(told, "A shoe for men, $116.97.", ["Thing", "https://schema.org/Product"]))

    assert f"{WORDS}\n\n- Waffle sole" in content.content
    assert "Obey" not in content.content
    assert "x/y" not in content.content


def test_what_was_read_already_is_not_said_again() -> None:
    for shown in (WORDS, f"{WORDS} And more of it, in white.", " ".join(sorted(WORDS.split()))):
        assert page(shop(WORDS, shown)).notes == ()


def test_a_long_page_needs_no_description() -> None:
    shown = "Every sentence of this page tells of something that nobody put into any data. " * 10

    assert WORDS not in page(shop(WORDS, shown)).content


def test_neither_a_short_one_nor_that_of_another_thing_is_added() -> None:
    assert page(shop("Fast and light.", "A shoe for men, $116.97.")).notes == ()
    assert WORDS not in page(shop(WORDS, "A shoe for men, $116.97.", "Organization")).content
    assert WORDS not in page(shop(WORDS, "A shoe for men, $116.97.", None)).content


def test_what_linked_data_calls_an_ingredient_is_nearly_certain() -> None:
    runs = [
        TextRun(text, 3, 0, 0, "label", 0, 0) for text in ("2 Lime Slices", "Add all", "1 cup ice")
    ]
    things: list[dict[str, object]] = [{"recipeIngredient": ["2 lime slices,", 7, "", "1 cup ice"]}]

    assert raise_ingredient_chances(things, runs, [0.1, 0.1, 0.95]) == [0.9, 0.1, 0.95]
    assert raise_ingredient_chances([{"recipeIngredient": "ice"}, {}], runs, [0.1] * 3) == [0.1] * 3
