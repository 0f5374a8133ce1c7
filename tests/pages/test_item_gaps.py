"""Elements that together are a whole item are words of their own; parts of a word are not."""

import pytest

from .read import article, page


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<span>2</span><span>spoons</span>", "2 spoons"),
        ("<span>2</span><span>spoons</span><span>oil, cold</span>", "2 spoons oil, cold"),
        ("<b>2</b><span>spoons</span>", "**2** spoons"),
        ("<span>2</span>\n<span>spoons</span>", "2 spoons"),
        # The neighbours, which are right as they are.
        ("2<span>nd</span> of May", "2nd of May"),
        ("3<span>D</span>", "3D"),
        ("<b>5</b>G", "**5**G"),
        ("<span>T</span><span>he mole</span>", "The mole"),
        ("<span>m</span><span>o</span><span>l</span><span>e</span>", "mole"),
        ("<span>mo</span><span>le </span><span>of stone</span>", "mole of stone"),
        ("<span>H</span><sub>2</sub><span>O</span>", "H2O"),
        ("<span>(</span><span>old</span><span>)</span>", "(old)"),
        ("<code>two</code><code>spoons</code>", "`two` `spoons`"),
    ],
)
def test_elements_that_are_a_whole_item_are_set_apart(html: str, line: str) -> None:
    items = f"<ul><li>{html}</li><li>Stone from the quarries up the river</li></ul>"
    content = page(article(f"<p>The first stage took these things and more:</p>{items}")).content

    assert f"\n- {line}\n" in content


@pytest.mark.parametrize("tag", ["p", "h2"])
def test_running_text_may_begin_a_tag_inside_a_word(tag: str) -> None:
    html = f"<{tag}><span>Low ti</span><span>de was never a good hour for the barges</span></{tag}>"

    assert "Low tide was" in page(article(html)).content
