import pytest

from webseam.adapters.reader import read_html
from webseam.adapters.reader.measures.page_features import KINDS

from .read import PARAGRAPH, article, page


def test_an_article_comes_out_without_what_stands_around_it() -> None:
    document = page(article(""))

    assert document.content == f"# The harbour\n\n{PARAGRAPH}\n\nLater, {PARAGRAPH}"
    assert document.kind in KINDS


def test_related_links_beside_an_article_are_left_out() -> None:
    related = "".join(f"<li><a href=/r{n}>Read more: story {n}</a></li>" for n in range(12))
    more = "".join(f"<p>Stage {n}. {PARAGRAPH}</p>" for n in range(8))

    document = page(article(more) + f"<div class='related-posts sidebar'><ul>{related}</ul></div>")

    assert "Read more" not in document.content
    assert f"Stage 7. {PARAGRAPH}" in document.content


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Stone</h2>", "## Stone"),
        ("<ul><li>barge</li><li>cart<ul><li>ox</li></ul></li></ul>", "- barge\n- cart\n  - ox"),
        ("<ul><li><ul><li></li></ul><p>barge</p><p>of oak</p></li></ul>", "- barge\n\n  of oak"),
        ("<p><b>The North</b><i>Star</i> of<b>1900</b></p>", "**The North** *Star* of **1900**"),
        (
            "<p>H<sub>2</sub>O, <b>T</b>HE <i>i</i>Pod, un<b>til</b></p>",
            "H2O, **T**HE *i*Pod, un**til**",
        ),
        ("<pre><b>get</b><i>Name</i>()</pre>", "```\ngetName()\n```"),
        ("<div><li>barge</li><li>cart</li></div>", "- barge\n- cart"),
        ("<ol start=3><li>dig</li><li>lay</li></ol>", "3. dig\n4. lay"),
        (
            "<dl><dt>Weir<dd>A low dam.<dd>Also: a fence.</dl>",
            "Weir\n\n: A low dam.\n\n: Also: a fence.",
        ),
        (
            "<dl><div><dt>Weir</dt><dd> <p>A dam.</p><p>Low.</p></dd></div></dl>",
            "Weir\n\n: A dam.\n\nLow.",
        ),
        ("<dl><dt>Weirs</dt><dd><ul><li>two</li></ul></dd></dl>", "Weirs\n\n- two"),
        (
            "<dl><dt>Weir</dt><dd></dd><dt>Lock</dt><dd><b>A gate</b></dd></dl>",
            "Weir\n\nLock\n\n: **A gate**",
        ),
        ("<blockquote><p>It held.</p></blockquote>", "> It held."),
        (
            "<pre><code class='language-python'>x = 1\n  y</code></pre>",
            "```python\nx = 1\n  y\n```",
        ),
        ("<div class='highlight-rust'><pre>fn main</pre></div>", "```rust\nfn main\n```"),
        ("<pre data-lang=go>a := 1</pre>", "```go\na := 1\n```"),
        ("<pre class='code-wrapper'>plain</pre>", "```\nplain\n```"),
        ("<pre><code class='hljs python'>x = 1</code></pre>", "```python\nx = 1\n```"),
        ("<pre lang=en><code class='sourceCode bash'>ls</code></pre>", "```bash\nls\n```"),
        ("<pre lang=ruby>puts 1</pre>", "```ruby\nputs 1\n```"),
        ("<div lang=en><pre>plain</pre></div>", "```\nplain\n```"),
        ("<pre class='code-editor highlight-height language-js'>x</pre>", "```js\nx\n```"),
        ("<pre data-lang=lang-ini>a=1</pre>", "```ini\na=1\n```"),
        ("<div class=highlight-html+django><pre>x</pre></div>", "```html+django\nx\n```"),
        ("<pre class=gatsby-code-jsx>x</pre>", "```jsx\nx\n```"),
        ("<pre data-lang=auto>plain</pre>", "```\nplain\n```"),
        (
            "<p>About 10<sup>6</sup> stones, x<sup>-2</sup>, the 1<sup>st</sup></p>",
            "10⁶ stones, x⁻², the 1st",
        ),
        ("<p>See <a href=/map>the<br>map</a></p>", "See [the map](https://example.com/map)"),
        (
            "<p><ruby>港<rp>(</rp><rt>みなと</rt><rp>)</rp></ruby>は<ruby>海<rtc>うみ</rtc></ruby></p>",
            "港は海",
        ),
        ("<table><tr><td>It held.</td></tr></table>", "\n\nIt held.\n\n"),
        ("<p>See <a href=/map>the map</a>.</p>", "See [the map](https://example.com/map)."),
        ("<p>Write to <a href='mailto:a@example.com'>us</a>.</p>", "[us](mailto:a@example.com)"),
        (
            "<p><strong>Bold</strong> and <em>soft</em> and <code>code</code>.</p>",
            "**Bold** and *soft* and `code`.",
        ),
        ("<h2>Tide<a class=headerlink href=#tide>¶</a></h2>", "## Tide"),
        ("<h2><span><a href=#tide>&#9670;&nbsp;</a></span>Tide</h2>", "## Tide"),
        ("<h3>Tide <a href=#tide>#</a></h3>", "### Tide"),
    ],
)
def test_structure_is_kept_as_markdown(html: str, markdown: str) -> None:
    assert markdown in page(article(html)).content


def test_a_table_is_a_grid_whatever_its_cells_span() -> None:
    table = (
        "<table><tr><th>Year<th>Stage<th>Cost</tr><tr><td rowspan=2>1801<td>First<td>9</tr>"
        "<tr><td>Second<td>7</tr><tr><td colspan=2>Both<td>16</tr><tr><td>1802</tr></table>"
    )

    assert page(article(table)).content.split("\n\n")[2] == (
        "| Year | Stage | Cost |\n| --- | --- | --- |\n| 1801 | First | 9 |\n|  | Second | 7 |\n"
        "| Both |  | 16 |\n| 1802 |  |  |"
    )


def test_a_table_that_only_lays_out_is_not_a_table() -> None:
    table = f"<table><tr><td><h2>Stone</h2><p>{PARAGRAPH}!</p></td></tr></table>"

    content = page(article(table)).content

    assert "## Stone" in content
    assert "|" not in content


def test_headings_that_head_columns_or_parts_leave_a_table_a_table() -> None:
    rows = "".join(f"<tr><td>Stage {n}</td><td>{n} crowns</td></tr>" for n in range(1, 7))
    table = (
        "<table><tr><td><h3>Stage</h3></td><td> <h3>Cost</h3></td></tr>"
        f"<tr><td colspan=2><h5>The quay</h5></td></tr>{rows}</table>"
    )

    assert (
        "| Stage | Cost |\n| --- | --- |\n| The quay |  |\n| Stage 1 | 1 crowns |\n"
        in page(article(table)).content
    )


def test_items_in_a_cell_stand_in_its_line() -> None:
    table = (
        "<table><tr><th>For</th><th>Against</th></tr><tr><td><ul><li>oak</li> <li>It held.</li>\n"
        "<li>cheap</li>\n</ul></td><td>Seen <ul><li>far</li></ul></td></tr></table>"
    )

    assert "| * oak * It held. * cheap | Seen * far |" in page(article(table)).content


def test_lists_in_the_only_row_of_a_table_are_lists() -> None:
    table = "<table><tr><td><ul><li>ox<li>cart</ul></td><td><ul><li>barge</ul></td></tr></table>"

    content = page(article(table)).content

    assert "- ox\n- cart" in content
    assert "|" not in content


@pytest.mark.parametrize(
    "code", ["<pre>dig on | off;</pre>", "<pre><code>dig on | off;</code></pre>"]
)
def test_code_of_one_line_in_a_cell_leaves_the_table_a_table(code: str) -> None:
    table = f"<table><tr><th>Syntax<td>{code}</tr><tr><th>Default<td>off</tr></table>"

    assert "| `dig on \\| off;` |\n| --- | --- |\n| Default | off |" in page(article(table)).content


@pytest.mark.parametrize(
    "code",
    [
        "<table><tr><td class=linenos><pre>1\n2</pre></td><td><pre>dig\nlay</pre></td></tr></table>",
        "<table><tr><td class=lntd><pre><i class=lnt>1</i></pre></td><td><pre>dig\nlay</pre></table>",
        "<pre class=chroma><code><span class=ln>1</span>dig\n<span class=ln>2</span>lay</code></pre>",
        "<pre><i class=source-line-no>1</i>dig\n<i class=source-line-no>2</i>lay\n\n\n</pre>",
    ],
)
def test_line_numbers_do_not_stand_in_code(code: str) -> None:
    assert "```\ndig\nlay\n```" in page(article(code)).content


def test_code_of_one_line_beside_its_number_is_code() -> None:
    code = (
        "<table class=lntable><tr><td class=lntd><pre><span class=lnt>1</span></pre></td>"
        "<td class=lntd><pre>dig the harbour --deep</pre></td></tr></table>"
    )

    assert "```\ndig the harbour --deep\n```" in page(article(code)).content


@pytest.mark.parametrize("name", ["<b>{}</b>", "<p><strong>{} </strong></p>", "<h4>{}</h4>"])
def test_a_first_row_that_is_set_as_names_names_the_columns(name: str) -> None:
    rows = "".join(f"<tr><td>Stage {n}</td><td>{n} crowns</td></tr>" for n in range(1, 7))
    first = f"<tr><td>{name.format('Work')}</td><td>{name.format('Cost')}</td></tr>"

    content = page(article(f"<table>{first}{rows}</table>")).content.replace("**", "")

    assert "\n\n| Work | Cost |\n| --- | --- |\n| Stage 1 | 1 crowns |" in content


def test_a_table_that_is_bold_all_over_has_no_names() -> None:
    rows = "".join(f"<tr><td><b>Stage {n}</b></td><td><b>{n}</b></td></tr>" for n in range(1, 7))

    assert (
        "|  |  |\n| --- | --- |\n| **Stage 1**" in page(article(f"<table>{rows}</table>")).content
    )


def test_a_paragraph_that_keeps_its_blanks_is_no_code() -> None:
    html = "<p style='white-space:pre-wrap'>Stone came by barge.</p><ul><li><p style='white-space: pre'>ox</p></ul>"

    assert "Stone came by barge.\n\n- ox" in page(article(html)).content


@pytest.mark.parametrize(
    "code",
    [
        "tar -xf a.tar -C / --exclude b --exclude c --exclude d --exclude e --exclude f",
        "FROM (SELECT * FROM walls FOR UPDATE) w WHERE w.stone = 5 AND w.barge = 6;",
        "int dig      (int deep,<br>             int wide, int far, int low, int end.)",
    ],
)
def test_a_long_line_of_code_is_code(code: str) -> None:
    assert (
        f"```\n{code.replace('<br>', chr(10))}\n```" in page(article(f"<pre>{code}</pre>")).content
    )


def test_a_table_with_a_heading_over_it_is_a_table() -> None:
    table = "<table><tr><th colspan=2><h3>The first stage</h3></tr><tr><td>Cost<td>9 crowns</tr></table>"

    assert (
        "| The first stage |  |\n| --- | --- |\n| Cost | 9 crowns |" in page(article(table)).content
    )


def test_a_link_around_a_card_becomes_a_link_on_its_heading() -> None:
    cards = "".join(
        f"<a href=/stage/{n}><div><h3>Stage {n}</h3><p>{n}. {PARAGRAPH}</p></div></a>"
        for n in (1, 2)
    )

    content = page(article(cards)).content

    assert "### [Stage 1](https://example.com/stage/1)" in content
    assert f"\n\n2. {PARAGRAPH}" in content.replace("2\\.", "2.")


def test_a_link_around_blocks_without_heading_is_on_the_first_words() -> None:
    content = page("<a href=/x><div><span>Stage one</span></div><div>The rest</div></a>").content

    assert content == "[Stage one](https://example.com/x)\n\nThe rest"


def test_a_short_page_is_kept_whole() -> None:
    assert (
        page("<div>One.</div><span>Two.</span><ul><li>Three").content == "One.\n\nTwo.\n\n- Three"
    )


def test_the_same_long_sentence_is_said_once() -> None:
    assert page(article(f"<p>{PARAGRAPH}</p>")).content.count("\n\nThe harbour was built") == 1


def test_noscript_is_read_where_there_is_nothing_else() -> None:
    paragraphs = "".join(f"<p>{n}: {PARAGRAPH}</p>" for n in range(4))

    document = page(
        f"<div id=app>Loading</div><noscript><article>{paragraphs}</article></noscript>"
    )

    assert f"3: {PARAGRAPH}" in document.content


def test_noscript_is_left_out_of_a_page_that_has_text() -> None:
    assert "Enable" not in page(article("<noscript><p>Enable scripts</p></noscript>")).content


def test_links_are_relative_to_the_base_the_page_names() -> None:
    html = article("<p><a href=map>the map</a></p>", "<base href=https://example.org/deep/>")

    assert "[the map](https://example.org/deep/map)" in page(html).content


def test_links_are_counted() -> None:
    assert page(article("<p><a href=/a>a</a> and <a href=/b>b</a></p>")).links == 2


def test_doubled_rules_and_empty_marks_are_dropped_but_not_in_code() -> None:
    html = (
        "<hr><div><hr></div><h2> </h2><ul><li></li></ul><pre><code>#\n-\n---\n\n\n---</code></pre>"
    )

    content = page(article(html)).content

    assert "---\n\n```\n#\n-\n---\n\n\n---\n```" in content
    assert "##" not in content


REFRAIN = "And the tide came in, and the tide went out again, as it always had."


def test_no_rule_parts_the_text_from_nothing() -> None:
    content = page("<hr><p>First words.</p><hr><p>Last words.</p><div><hr></div>").content

    assert content == "First words.\n\n---\n\nLast words."


def test_a_refrain_is_no_copy() -> None:
    document = page(article(f"<p>{REFRAIN}</p><p>One night of storm.</p><p>{REFRAIN}</p>"))

    assert document.content.count(REFRAIN) == 2


def test_a_row_that_comes_again_in_a_table_is_no_copy() -> None:
    row = "<tr><td>Monday</td><td>High water at six, low water at noon, calm sea</td></tr>"
    other = "<tr><td>Tuesday</td><td>Fog over the whole bay until the afternoon came</td></tr>"

    assert page(article(f"<table>{row}{other}{row}</table>")).content.count("| Monday |") == 2


def test_a_row_of_another_table_is_no_copy() -> None:
    row = "<tr><td>INVALID_THREAD</td><td>The thread is null, or has ended, or never was</td></tr>"
    own = "<tr><td>NO_FRAME</td><td>{} frames are there, or the one that was named is not</td></tr>"
    head = "<tr><th>Error</th><th>What it means</th></tr>"
    first, second = (f"<table>{head}{row}{own.format(n)}</table>" for n in ("No", "Few"))

    assert page(article(f"{first}<p>Then.</p>{second}")).content.count("INVALID_THREAD") == 2


def test_equal_sentences_of_methods_are_no_copies() -> None:
    said = "Panics if the new capacity exceeds the largest number of bytes."
    part = (
        "<section><h3>method_{0}</h3><pre><code>fn method_{0}(size: usize)</code></pre>"
        "<p>Reserves room for at least {0} more elements in the vector.</p>"
        f"<h4>Panics</h4><p>{said}</p></section>"
    )
    methods = "".join(part.format(name) for name in ("one", "two", "three", "four", "five"))
    head = '<meta name="generator" content="rustdoc">'
    document = page(
        f"<html><head><title>Vec in std - API documentation</title>{head}</head><body class=docs>"
        f"<main class=documentation><h1>Struct Vec</h1>{methods}</main></body></html>"
    )

    assert document.kind == "documentation"
    assert document.content.count(said) == 5


def test_long_equal_paragraphs_of_a_manual_are_no_copies() -> None:
    said = "<p>Is null where nobody may read this property of the system.</p><p>{}</p>"
    why = "It is set when the class is loaded, and never again after that."
    parts = "".join(
        f"<section><h3>WALL</h3><pre>String WALL_{name}</pre><p>The wall that is {name}.</p>"
        f"{said.format(why)}</section>"
        for name in ("one", "two", "three", "four", "five")
    )
    head = "<title>Walls (API documentation)</title><meta name=generator content=javadoc>"
    document = page(f"{head}<body class=docs><main><h1>Class Walls</h1>{parts}</main></body>")

    assert document.kind == "documentation"
    assert document.content.count(why) == 5


def test_a_term_stays_with_what_is_said_of_it() -> None:
    table = "<table><tr><th>Type</th><th>Name</th></tr><tr><td>int</td><td>{}</td></tr></table>"
    terms = "".join(
        f"<h3>Command {n}</h3><p>{n}: {PARAGRAPH}</p>"
        f"<dl><dt>Reply Data</dt><dd>{table.format(n)}</dd></dl>"
        for n in range(9)
    )

    assert page(article(terms)).content.count("Reply Data") == 9


def test_the_same_text_in_another_place_is_a_copy() -> None:
    html = article(f"<p>{REFRAIN}</p><p>One.</p><blockquote><p>{REFRAIN}</p></blockquote>")

    assert (
        read_html(html, "https://example.com/2024/05/harbour").unwrap().content.count(REFRAIN) == 1
    )


def test_the_title_stands_once() -> None:
    assert page(article("<h2>The Harbour</h2>")).content.count("arbour\n") == 1


def test_tags_that_the_page_shows_stay_and_those_of_the_renderer_do_not() -> None:
    code = "<pre>&lt;b&gt;oak&lt;/b&gt;</pre><p>So <code>&lt;em&gt;</code> and &lt;i&gt;.</p>"

    content = page(article(f"{code}<p><b>Quay<br><br>of</b><i>oak</i><b>and</b> stone</p>")).content

    assert "```\n<b>oak</b>\n```" in content
    assert "So `<em>` and \\<i>." in content
    assert "**Quay of**oak**and** stone" in content


def test_struck_text_is_struck_in_markdown() -> None:
    html = "<p>Now €20, was<s>€30</s> (<del>€40</del>), a <s>fine</s> good price.</p>"

    assert "was ~~€30~~ (~~€40~~), a ~~fine~~ good price." in page(article(html)).content


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol><li><div></div></li><li>dig</li></ol>", "finished.\n\n2. dig\n\n"),
        ("<ol><li><pre>dig\nlay</pre></li></ol>", "\n\n1.\n   ```\n   dig\n   lay\n   ```\n\n"),
        ("<ul><li><pre>dig\nlay</pre></li></ul>", "\n\n-\n  ```\n  dig\n  lay\n  ```\n\n"),
        ("<ol><li><blockquote>It held.</blockquote></li></ol>", "\n\n1. > It held.\n\n"),
        ("<ul><li>• dig</li><li>● lay</li></ul>", "\n\n- dig\n- lay\n\n"),
        ("<p>• dig</p><p>•lay, and • wait</p>", "\n\n- dig\n\n- lay, and • wait\n\n"),
        ("<blockquote>It held.<br><br>So far.</blockquote>", "\n\n> It held.\n>\n> So far.\n\n"),
    ],
)
def test_marks_stand_before_what_they_mark(html: str, markdown: str) -> None:
    assert markdown in page(article(html)).content


def test_code_beside_code_is_two_pieces_of_code() -> None:
    assert "`dig` `lay`" in page(article("<p>So <code>dig</code><code>lay</code>.</p>")).content


def test_a_list_that_is_only_indented_is_no_quote() -> None:
    html = "<ul><li>By barge<blockquote><div><ul><li>oak</li><li>stone</li></ul></div></blockquote></li></ul>"

    assert "- By barge\n  - oak\n  - stone" in page(article(html)).content.replace(
        "\n\n  -", "\n  -"
    )


def test_a_quote_of_nothing_but_a_picture_leaves_no_mark() -> None:
    html = "<blockquote><img src=ox.png></blockquote><blockquote>an ox</blockquote>"

    content = page(article(html)).content

    assert "\n\n> an ox\n\n" in content
    assert content.count(">") == 1


def test_expand_button_of_a_quote_is_left_out() -> None:
    html = (
        "<blockquote class=quoteContainer><div class=quote>An ox pulls a cart.</div>"
        "<div class=quoteExpand>Click to expand...</div></blockquote>"
    )

    content = page(article(html)).content

    assert "\n\n> An ox pulls a cart.\n\n" in content
    assert "expand" not in content


def test_items_of_a_second_list_keep_their_marks() -> None:
    item = "<li><ul><li></li></ul><p>The {}</p><p>It held.</p></li>"
    lists = [f"<ul>{item.format(one)}{item.format(other)}</ul>" for one, other in ("ab", "cd")]

    content = page(article("".join(lists))).content

    assert content.count("\n- The ") + content.count("\n* The ") == 4


@pytest.mark.parametrize("blank", ["&#12288;", "&#8232;", "&#8239;", "&#160;", "&#8195;"])
@pytest.mark.parametrize(
    "html",
    [
        "<p>{0}The quay</p>",
        "<h2>The quay{0}</h2>",
        "<ul><li>{0}The quay",
        "<h2>The quay{0}<span>of{0}</span>stone</h2>",
        "<p>The quay<b>{0}of</b>{0}stone <i>and{0}</i></p>",
    ],
)
def test_odd_blanks_leave_no_numbers(blank: str, html: str) -> None:
    content = page(article(html.format(blank))).content

    assert "The quay" in content
    assert "&#" not in content


def test_numbers_that_the_page_itself_shows_stay() -> None:
    code = "<pre>a &amp;#160; b</pre><p>So <code>c &amp;#160; d</code>.</p>"

    content = page(article(f"{code}<p>Write &amp;#12288; for a blank.</p>")).content

    assert "a &#160; b" in content
    assert "`c &#160; d`" in content
    assert r"Write \&#12288; for a blank." in content


@pytest.mark.parametrize(
    "anchor", ["", "<svg></svg>", "\u200b", "\ue157", "<span class=icon></span>", "&nbsp;"]
)
def test_an_anchor_without_words_leaves_nothing_on_its_heading(anchor: str) -> None:
    content = page(article(f"<h2 id=q><a href='#q'>{anchor}</a>The quay</h2>")).content

    assert "\n## The quay\n" in content


def test_a_name_with_a_number_is_one_word_where_its_letters_are_slanted() -> None:
    inside = "<p>Open <i>json</i>1, <em>port</em>80 and <span>Rooms</span>3, by <em>Ann</em>The</p>"

    assert "Open *json*1, *port*80 and Rooms 3, by *Ann* The" in page(article(inside)).content


def test_the_line_that_leads_through_a_manual_is_left_out() -> None:
    steps = (
        "<div class=header><p>Next: <a href=#b accesskey=n rel=next>Laying</a>, Up: "
        "<a href=#top accesskey=u rel=up>Digging</a> &nbsp; [<a href=#c rel=contents>Contents</a>]</p></div>"
    )

    content = page(article(f"{steps}<h2>Tools</h2><p>{PARAGRAPH} Twice.</p>{steps}")).content

    assert "## Tools" in content
    assert "Laying" not in content
