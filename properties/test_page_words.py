"""The words of a page: each is in the content or in one kind of what is left out, once."""

import re

import pytest
from hypothesis import example, given, strategies as st
from returns.result import Success
from turbohtml import Element

from tests.pages.read import PARAGRAPH, URL
from tests.pages.word_count import source_words, told_words
from webseam.adapters.reader import read_html
from webseam.adapters.reader.block_text import BLOCKS, text_lines
from webseam.adapters.reader.removals import text_nodes
from webseam.adapters.reader.rendering.markdown import render_markdown, tidy_tree
from webseam.ports.words import count_all_words, count_words

# Pieces of pages, each with its own way out of the content.
PIECES = (
    f"<p>{PARAGRAPH}</p>",
    f"<p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>",
    "<p>Hel<b>lo</b> <i>w</i>orld, 2<sup>nd</sup> and H<sub>2</sub>O</p>",
    "<p>潮汐表每年出版一次。港口在春天开放。</p>",
    "<nav>" + "".join(f"<a href=/{n}>Page{n}</a>" for n in range(30)) + "</nav>",
    "<footer>All rights <nav>reserved here</nav></footer>",
    "<div style='display:none'>unseen words <select><option>one<option>two</select></div>",
    "<div hidden><p>secret</p><svg><text>drawn</text></svg><div hidden>inner</div></div>",
    "<style>.gone{display:none}.gone p{color:red}</style><div class=gone><p>by a sheet</p></div>",
    "<div style='font-size:0'>tiny<p style='font-size:16px'>shown again</p></div>",
    (
        "<form><select><option>Red<option>Green<optgroup label=x><option>Blue</select>"
        "<input value='your name'><input type=hidden value=token><textarea>a note</textarea>"
        "<input type=submit value='Send it'><datalist><option>listed</datalist></form>"
    ),
    "<select class=gone style='display:none'><option>planted</select>",
    "<svg><title>an icon</title><style>.a{}</style><text>Harbour <tspan>plan</tspan></text></svg>",
    "<noscript>Turn on <b>scripts</b><input value=x><noscript>deep</noscript></noscript>",
    "<script>var words = 'none';</script><template><p>none</p></template>",
    "<ruby>漢<rt>kan</rt>字<rp>(</rp><rt>ji</rt></ruby>",
    (
        "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac>"
        "<annotation encoding='application/x-tex'>x=\\frac{1}{2}</annotation></math>"
    ),
    "<span class=MathJax>x two</span><script type='math/tex'>x^2</script>",
    "<pre><span>1</span>let a\n<span>2</span>let b\n</pre>",
    (
        "<table><tr><td class=blob-num>1<td class=blob-code>one\n<tr><td class=blob-num>2"
        "<td class=blob-code>two</table>"
    ),
    "<table><tr><th>Tide<th>Metres<tr><td>High<td>4.2<tr><td>Low<td>0.8</table>",
    (
        "<p>Noted.<sup><a href=#n1 id=r1>1</a></sup></p>"
        "<ol><li id=n1>A source. <a href=#r1 class=footnote-backref>back up</a></ol>"
    ),
    "<h2>Part<a class=headerlink href=#p>link</a><span class=mw-editsection>[edit]</span></h2>",
    "<span aria-hidden=true>$9</span><span class=sr-only>nine dollars</span>",
    (
        "<div class=comments id=comments><div class=comment><p>I was there, and it was wet and cold."
        "</p></div><div class=comment><p>So was I, and so was all of the town that day.</p></div></div>"
    ),
    "<iframe srcdoc='<p>framed text</p>'>fallback</iframe><object>no plugin</object>",
    "<div><template shadowrootmode=open><p>" + PARAGRAPH + "</p></template>never slotted</div>",
    "<ul><li><input type=checkbox disabled checked value=on> done<li>to do</ul>",
    "<dialog>closed <button>OK</button></dialog><details><summary>More</summary>inside</details>",
    "<progress>half</progress><canvas>no canvas</canvas><video>no video</video>",
)
PAGES = st.lists(st.sampled_from(PIECES), max_size=12)


@given(before=PAGES, after=PAGES)
@example(before=list(PIECES), after=[])
@example(before=[], after=list(PIECES))
def test_every_word_of_a_page_is_told_once(before: list[str], after: list[str]) -> None:
    middle = f"<h1>The harbour</h1><p>{PARAGRAPH}</p>"
    html = f"<body>{''.join(before)}<main>{middle}</main>{''.join(after)}"
    outcome = read_html(html, URL, parts=True)

    assert isinstance(outcome, Success)
    page = outcome.unwrap()
    assert told_words(page) == source_words(html)
    # A formula that a script carries is text of a part, but no word of the page.
    kinds = {part.kind for part in page.parts}
    assert kinds.issuperset(entry.kind for entry in page.left_out if entry.words)


# These stand only in a table.
TABLE_TAGS = {"caption", "tbody", "td", "tfoot", "th", "thead", "tr", "table"}


@pytest.mark.parametrize("tag", sorted(BLOCKS - TABLE_TAGS - {"body", "hr", "html"}))
def test_words_around_a_block_are_words_of_their_own(tag: str) -> None:
    root = Element("div")
    root.set_inner_html(f"<div><span>left</span><{tag}>middle</{tag}><span>right</span></div>")
    part = text_lines(text_nodes(root))
    tidy_tree(root, "")
    content = render_markdown(root)[0]

    for text in (" ".join(part), content):
        assert re.findall(r"\w+", text) == ["left", "middle", "right"]


@given(texts=st.lists(st.text("ab1 .-|_\n\x1c\u00a0é東ก\u0e31½\u200b", max_size=12), max_size=6))
def test_words_of_texts_are_those_of_each(texts: list[str]) -> None:
    assert count_all_words(texts) == sum(map(count_words, texts))


@given(text=st.text("ab1 .-|_\n\x1c", max_size=40))
def test_a_letter_of_another_alphabet_does_not_change_the_count_of_the_rest(text: str) -> None:
    assert count_words(f"{text} é") == count_words(text) + 1
