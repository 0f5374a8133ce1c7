"""Fields that services send as HTML."""

import pytest

from webseam.adapters.values.html_text import html_to_text

TEXTS = {
    "a<!-- <b>x</b> -->b<!---->c": "abc",
    "a<!-- b": "a<!-- b",
    "a<!-- b<!-- c -->d": "a<!-- bd",
    "1 < 2<br>3 &gt; 2": "1 < 2 3 > 2",
    # Only elements are tags.
    "Holds if $p<q$ and fails if $r>s$": "Holds if $p<q$ and fails if $r>s$",
    "if (a <b && c> d)": "if (a <b && c> d)",
    "<b>Vec<u8></b> and List&lt;String&gt;": "Vec<u8> and List<String>",
    "<foo:b>x</foo:b>": "<foo:b>x</foo:b>",
    # What is text once is not read again.
    "&lt;b&gt; &amp;lt;": "<b> &lt;",
    "&am<b>p;": "&amp;",
    # Words stay apart, and numbers are what they are.
    "<td>high</td><td>low</td><h2>noon</h2>": "high low noon",
    "<jats:list-item>a</jats:list-item><jats:list-item>b": "a b",
    "<em>High</em><mark>tide</mark>": "Hightide",
    "10<sup>6</sup> and 10<sup>&minus;<i>6</i></sup>": "10⁶ and 10⁻⁶",
    "the 1<sup>st</sup>, H<sub>2</sub>O</sup>": "the 1st, H2O",
    "<mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup>": "x²",
    "<mml:msup><mml:mn>2</mml:mn><mml:mi>x</mml:mi></mml:msup>": "2x",
    "<mml:mfrac><mml:mn>1</mml:mn><mml:mn>2</mml:mn></mml:mfrac>": "1 2",
}


def test_html_becomes_the_text_that_it_shows() -> None:
    assert {html: html_to_text(html) for html in TEXTS} == TEXTS


@pytest.mark.parametrize(
    "noise", ["<!--", "<!---", "<a ", "</a", "<!a", "<br ", "&lt", "<sup>", "<b / ", "<mn>1</mn>"]
)
def test_no_html_takes_longer_than_it_is_long(noise: str) -> None:
    # Looked through to its end from every place in it, this would take hours.
    assert len(str(html_to_text(noise * 300_000))) <= 2 * len(noise) * 300_000
