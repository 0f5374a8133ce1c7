"""Blocks of code, as highlighters set them: without numbers, with their language."""

import pytest

from .read import article, page

LINES = "dig\n  lay"


SPHINX = """<div class=highlight-c><table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td>
<td class=code><div class=highlight><pre>dig\n  lay</pre></div></table></div>"""
HEXO = """<figure class='highlight java'><table><tr><td class=gutter><pre>1<br>2<br></pre></td>
<td class=code><pre>dig<br>  lay<br></pre></td></tr></table></figure>"""
INLINE = """<div class='highlight-python notranslate'><div class=highlight><pre><i class=linenos>1</i>dig
<i class=linenos>2</i>  lay\n</pre></div></div>"""
CHROMA = """<div class=highlight><pre><code><span class=line><span class=ln>1</span><span class=cl>dig
</span></span><span class=line><span class=ln>2</span><span class=cl>  lay\n</span></span></code></pre></div>"""
ENLIGHTER = "<pre class=EnlighterJSRAW data-enlighter-language=csharp>dig\n  lay</pre>"
GITHUB = """<table class=highlight><tr><td class=blob-num></td><td class=blob-code>dig</td></tr>
<tr><td class=blob-num></td><td class=blob-code>  lay</td></tr></table>"""
NUMBERED = """<pre class='hljs rust'><code><table class=hljs-ln><tr><td class=hljs-ln-numbers></td>
<td class=hljs-ln-code>dig</td></tr><tr><td></td><td class=hljs-ln-code>  lay</td></tr></table></pre>"""
BOXES = """<div class='syntaxhighlighter php'><table><tr><td class=gutter><div class=line>1</div></td>
<td class=code><div class=container><div class=line><code>dig</code></div>
<div class=line><code>&nbsp;&nbsp;</code><code>lay</code></div></div></td></table></div>"""
ROUGE = """<div class=highlight><table><tr><td class=gl><pre class=lineno>1\n2\n</pre></td>
<td class=rouge-code><pre>dig\n  lay</pre></td></tr></table></div>"""
PRETTIFY = """<pre class='prettyprint linenums lang-js'><ol class=linenums><li class=L0><span class=pln>dig</span></li><li class=L1><span>  lay</span></li></ol></pre>"""


@pytest.mark.parametrize(
    ("html", "language"),
    [
        (PRETTIFY, "js"),
        ("<pre class='src src-emacs-lisp'>dig\n  lay</pre>", "emacs-lisp"),
        ("<pre data-syntaxhighlighter-params='brush: java; gutter: no'>dig\n  lay</pre>", "java"),
        (SPHINX, "c"),
        (HEXO, "java"),
        (ROUGE, ""),
        (INLINE, "python"),
        (CHROMA, ""),
        ("<div><code>dig<br>&nbsp; lay</code></div>", ""),
        (ENLIGHTER, "csharp"),
        (GITHUB, ""),
        (NUMBERED, "rust"),
        (BOXES, "php"),
    ],
)
def test_code_is_one_block_in_its_language(html: str, language: str) -> None:
    assert f"\n\n```{language}\n{LINES}\n```\n\n" in page(article(html)).content


def test_boxes_of_pieces_of_code_are_the_lines_of_one_block() -> None:
    lines = (("def", " dig(x):"), ("    return", " x"))
    rows = "".join(f"<div class=line><code>{a}</code><code>{b}</code></div>" for a, b in lines)

    assert "```\ndef dig(x):\n    return x\n```" in page(article(f"<div>{rows}</div>")).content


def test_numbers_that_do_not_count_the_lines_stay() -> None:
    for line in ("<i>{0}</i>0\n", "x = <i>{0}</i>\n", "<i>{0}</i> dig\nlay\n", "{0} dig\n"):
        lines = "".join(line.format(number) for number in (1, 2, 4))
        shown = lines.replace("<i>", "").replace("</i>", "")
        assert f"```\n{shown}```" in page(article(f"<pre>{lines}</pre>")).content, line


def test_a_language_is_not_taken_from_a_box_around_several_blocks() -> None:
    blocks = "<p>Then</p><section><section><pre>dig\nlay</pre></section></section>" * 2

    content = page(article(f"<div class=language-c>{blocks}</div>")).content

    assert content.count("```\ndig") == 2


def test_the_name_that_a_highlighter_puts_beside_code_is_left_out() -> None:
    html = (
        "<div class=code-toolbar><pre class=language-js><code>dig\nlay</code></pre>"
        "<div class=toolbar><div><span>JavaScript</span></div></div></div>"
    )

    assert "JavaScript" not in page(article(html)).content


def test_lines_that_an_example_does_not_show_are_left_out() -> None:
    html = (
        "<pre class=playground><code class='language-rust'><span class=boring>fn main() {\n</span>"
        "dig\n  lay<span class=boring>\n}</span></code></pre>"
    )

    assert f"```rust\n{LINES}\n```" in page(article(html)).content


def test_code_that_is_to_have_numbers_is_no_number() -> None:
    html = "<pre><code class='language-vb line-numbers'>dig\n  lay</code></pre>"

    assert f"```vb\n{LINES}\n```" in page(article(html)).content


def test_code_that_an_example_runs_and_hides_is_left_out() -> None:
    html = "<pre class='brush: css'>dig\n  lay</pre><pre class='brush: css hidden'>fill\nin</pre>"

    content = page(article(html)).content

    assert LINES in content
    assert "fill" not in content
