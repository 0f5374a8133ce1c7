"""A page as plain text and as HTML: nothing of it is lost, and no mark is left."""

import pytest

from webseam.adapters.pages.page_forms import markdown_to_html, markdown_to_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (r"# The *north* \[star\]", "The north [star]"),
        (
            "See **the** [moon](https://a.example/moon_(x)), ~~not~~ `a *b*`.",
            "See the moon, not a *b*.",
        ),
        ("- ox\n- cart\n  - oak\n\nAfter", "- ox\n- cart\n  - oak\n\nAfter"),
        ("3. ox\n\n   still\n4. cart", "3. ox\n\n  still\n\n4. cart"),
        ("> It held.\n> So far.", "It held.\nSo far."),
        ("```js\na\n  b\n```\n\n    c", "a\n  b\n\nc"),
        ("- ox\n\n  ```\n  a\n  ```", "- ox\n\n  a"),
        (
            "| a | b |\n| --- | --- |\n| 1 | [2](https://a.example/) |\n\n| x |\n| --- |",
            "a\tb\n1\t2\n\nx",
        ),
        ("held[^1]\n\n[^1]: https://a.example/", "held[^1]\n\n[^1]: https://a.example/"),
        ("ox\n\n---\n\ncart", "ox\n\ncart"),
        (r"So $a_1*b_1*c \\ d$, $$x*y*z\_1$$", r"So $a_1*b_1*c \\ d$, $$x*y*z\_1$$"),
        (r"So \(a*b*c\), $5 *or* $6, `$x*y$`", r"So \(a*b*c\), $5 or $6, $x*y$"),
        ("", ""),
    ],
)
def test_text_has_the_words_and_no_marks(markdown: str, text: str) -> None:
    assert markdown_to_text(markdown).unwrap() == text


def test_lists_that_go_deep_are_written_to_their_end() -> None:
    deep = "\n".join(f"{'  ' * depth}- ox{depth}" for depth in range(40))

    assert markdown_to_text(deep).unwrap() == deep
    assert "ox39" in markdown_to_html(deep).unwrap()


def test_struck_text_and_notes_become_html() -> None:
    html = markdown_to_html("~~ox~~[^1]\n\n[^1]: cart").unwrap()

    assert html == "<p><s>ox</s>[^1]</p>\n<p>[^1]: cart</p>\n"


def test_a_formula_is_as_it_is_in_html() -> None:
    html = markdown_to_html(r"So $a_1*b_1*c$ *it* is.").unwrap()

    assert html == "<p>So $a_1*b_1*c$ <em>it</em> is.</p>\n"


def test_links_images_and_footnotes_become_html_and_other_brackets_stay() -> None:
    nested = "[![i](https://a.example/i.png)](https://b.example/)"
    html = markdown_to_html(f"[[1]](https://a.example/) {nested} [no] [[[").unwrap()

    assert html.count("<a href=") == 2
    assert html.count("<img ") == 1
    assert html.rstrip().endswith("[no] [[[</p>")
