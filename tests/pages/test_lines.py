"""Emphasis and links hold, however a page cuts them in parts and whatever blanks it has."""

import pytest
from turbohtml import parse

from webseam.adapters.reader.rendering.markdown import render_markdown, tidy_tree

SITE = "https://example.com"


def markdown(html: str) -> str:
    root = parse(f"<main>{html}</main>", positions=False).find("main")
    assert root is not None
    tidy_tree(root, f"{SITE}/")
    return render_markdown(root)[0]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<center><b>Old</b></center><font>words</font>", "**Old**\n\nwords"),
        ("<dir><li>one<li>two</dir>", "- one\n- two"),
        ("<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
        ("<ol reversed start=10><li>j<li>i<li value=3>c<li>b</ol>", "10. j\n9. i\n3. c\n2. b"),
        ("<ol reversed start=x><li>b<li>a</ol>", "2. b\n1. a"),
        ("<p>Type <tt>ls -l</tt> now.</p>", "Type `ls -l` now."),
        ("<p><tt>A line<br>and one more</tt></p>", "A line\nand one more"),
        ("<p><tt> </tt>Words.</p>", "Words."),
        ("<pre>a <tt>b</tt></pre>", "```\na b\n```"),
    ],
)
def test_old_tags_say_what_they_said(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize("style", ["vertical-align:super", "color: red; Vertical-Align: Super"])
def test_a_number_that_is_set_above_the_line_is_raised(style: str) -> None:
    above = f'<span style="{style}">{{}}</span>'.format

    assert markdown(f"<p>10{above('6')} and 1{above('st')}</p>") == "10⁶ and 1st"


@pytest.mark.parametrize("name", ["sup", "super", "calibre3 superscript"])
def test_a_number_that_a_book_names_raised_is_raised(name: str) -> None:
    assert markdown(f"<p>10<span class='{name}'>6</span></p>") == "10⁶"


@pytest.mark.parametrize(
    ("above", "line"),
    [("n", "xⁿ"), ("<i>n</i> + 1", "xⁿ⁺¹"), ("2n−1", "x²ⁿ⁻¹"), ("2–4", "x2–4"), ("th", "xth")],
)
def test_a_power_of_n_is_raised(above: str, line: str) -> None:
    assert markdown(f"<p>x<sup>{above}</sup></p>") == line


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<b>ox&nbsp;</b>cart", "**ox** cart"),
        ("ox<i>&#8239;cart</i>", "ox *cart*"),
        ("ox <b>&nbsp;</b> cart", "ox cart"),
        ("ox&nbsp;&nbsp;cart&#12288;", "ox cart"),
        ("<strong>ox <strong>cart</strong></strong>", "**ox cart**"),
        ("<b>ox</b><b>en</b><strong>s</strong>", "**oxens**"),
        ("<em>ox</em><i>en</i>", "*oxen*"),
        ("<b>ox</b> <b>cart</b>", "**ox** **cart**"),
        ("Die <b>größere</b> Flut, <i>étale</i>.", "Die **größere** Flut, *étale*."),
        ("the <b>ox’s</b> cart and <b>its</b> wheel", "the **ox’s** cart and **its** wheel"),
        ("<b> Прилив </b>и <em>отлив</em>", "**Прилив** и *отлив*"),
        ("これは<b>強調</b>です。", "これは**強調**です。"),
        ("これは<b>「強調」</b>です。", "これは「強調」です。"),
        ("<b>A</b> cart", "**A** cart"),
        ("an <b>O</b>x", "an **O**x"),
        (
            "<b>größer</b><i>é</i> and <code>&lt;em&gt;é&lt;/em&gt;</code>",
            "größeré and `<em>é</em>`",
        ),
    ],
)
def test_emphasis_holds(html: str, line: str) -> None:
    assert markdown(f"<p>{html}</p>") == line


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("see <a href=/x>this&nbsp;</a>ox", f"see [this]({SITE}/x) ox"),
        ("see<a href=/x>&nbsp;this</a> ox", f"see [this]({SITE}/x) ox"),
        ("<a href=/x>o</a><a href=/x>x</a><a href=/x>en</a>", f"[oxen]({SITE}/x)"),
        ("<a href=/x>ox </a><a href=/x>Cart</a>", f"[ox Cart]({SITE}/x)"),
        ("<a href=/x>ox</a><a href=/x>.</a>", f"[ox.]({SITE}/x)"),
        ("<a href=/x>Ox</a><a href=/x>Read on</a>", f"[Ox]({SITE}/x) [Read on]({SITE}/x)"),
        ("<a href=/x>ox</a><a href=/y>cart</a>", f"[ox]({SITE}/x) [cart]({SITE}/y)"),
        ("<a href=/x>ox</a><a href=/y>$9</a>", f"[ox]({SITE}/x) [$9]({SITE}/y)"),
        ("<a href=/x>ox</a><a href=/y>.</a>", f"[ox]({SITE}/x)[.]({SITE}/y)"),
        ("<a href=/x>ox</a>, <a href=/y>cart</a>", f"[ox]({SITE}/x), [cart]({SITE}/y)"),
        ("<code><a href=/x>ox</a></code>", f"[`ox`]({SITE}/x)"),
        (
            "<code><a href=/x>ox</a>, <a href=/y>cart</a></code>",
            f"[`ox`]({SITE}/x), [`cart`]({SITE}/y)",
        ),
        ("<code><a href=/x>ox</a>(int n)</code>", f"[`ox`]({SITE}/x)`(int n)`"),
        ("<code>the <i><a href=/x>ox</a></i>, is</code>", f"`the `*[`ox`]({SITE}/x)*`, is`"),
        (
            "<code><a href=/x>ox</a>&lt;<a href=/y>T</a>&gt;</code>",
            f"[`ox`]({SITE}/x)\\<[`T`]({SITE}/y)>",
        ),
        ("<code><a href=javascript:x>ox</a>(n)</code>", "`ox(n)`"),
        ("<code><a name=x>ox</a>(n)</code>", "`ox(n)`"),
    ],
)
def test_links_are_whole_and_apart(html: str, line: str) -> None:
    assert markdown(f"<p>{html}</p>") == line


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2><b>The</b> <i>North</i> <strong>Star</strong></h2>", "## The *North* Star"),
        (
            "<table><tr><th><b>Ox</b></th><th>Cart</th></tr><tr><td><b>1</b></td><td>2</td></tr></table>",
            "| Ox | Cart |\n| --- | --- |\n| **1** | 2 |",
        ),
    ],
)
def test_headings_and_heads_of_tables_are_emphasis_enough(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_code_is_not_touched() -> None:
    assert markdown("<pre><a href=/x>ox</a><a href=/y>cart</a>(<b>a</b><b>b</b>)</pre>") == (
        "```\noxcart(ab)\n```"
    )


def test_the_language_of_an_editor_is_that_of_its_code() -> None:
    assert markdown("<pre class='sp-cm sp-javascript'>let x\nlet y</pre>").startswith(
        "```javascript\n"
    )


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>ox</p><p>js</p><pre class='brush: js'>a\nb</pre>", "ox\n\n```js\na\nb\n```"),
        ("<div>JavaScript</div><pre>a\nb</pre>", "```javascript\na\nb\n```"),
        ("<p>ox</p><pre>a\nb</pre>", "ox\n\n```\na\nb\n```"),
        ("<p>css</p><pre class=language-js>a\nb</pre>", "css\n\n```js\na\nb\n```"),
        ("<p>js</p><p>ox</p>", "js\n\nox"),
    ],
)
def test_the_name_of_a_language_right_over_its_code_is_its_label(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_number_with_a_dot_in_it_is_no_item() -> None:
    html = "<p>2.5 ox</p><ul><li>1.75 %</li></ul><blockquote>2.5 ox</blockquote><p>1. ox</p>"

    assert markdown(html) == "2.5 ox\n\n- 1.75 %\n\n> 2.5 ox\n\n1\\. ox"


def test_rows_that_say_nothing_are_left_out_and_names_may_have_parts() -> None:
    head = "<tr><td><b>Ox</b></td><td><b>Load</b> <b>in</b> <strong>kg</strong></td></tr>"
    table = f"<table><tr><td></td><td></td></tr>{head}<tr><td> </td></tr><tr><td>1</td><td>2</td></tr></table>"

    assert markdown(table) == "| Ox | Load in kg |\n| --- | --- |\n| 1 | 2 |"


def test_a_table_of_one_column_with_long_texts_is_none() -> None:
    long = "It held, and it held. " * 20
    column = f"<table><tr><td>Ox</td></tr><tr><td>{long}</td></tr></table>"
    filled = f"<table><tr><td></td><td> </td></tr><tr><td>{long}</td><td></td></tr></table>"

    assert markdown(column) == f"Ox\n\n{long.strip()}"
    assert markdown(filled) == long.strip()
    assert (
        markdown("<table><tr><th>Ox</th></tr><tr><td>Cart</td></tr></table>")
        == "| Ox |\n| --- |\n| Cart |"
    )


@pytest.mark.parametrize("part", ["<b>x</b>", "<a href=/x>x</a>", "<a href=/x>X</a>", "<ul><li>"])
def test_very_many_parts_cost_their_number(part: str) -> None:
    assert markdown(f"<div>{part * 20_000}x</div>")


@pytest.mark.parametrize("breaks", ["<br>" * 300, "<br>\n" * 300, "<span><br></span>" * 300])
def test_a_long_row_of_breaks_is_one(breaks: str) -> None:
    assert markdown(f"<p>ox{breaks}cart</p>") == "ox\n\ncart"


def test_breaks_in_code_are_all_kept() -> None:
    assert markdown(f"<pre>ox{'<br>' * 300}cart</pre>") == f"```\nox{chr(10) * 300}cart\n```"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Ox<br><br>cart<br>and<br> <br>hay</p>", "Ox\n\ncart\nand\n\nhay"),
        ("<ul><li>ox<br><br>cart</li></ul>", "- ox\n\n  cart"),
        ("<blockquote>ox<br><br><br>cart</blockquote>", "> ox\n>\n> cart"),
    ],
)
def test_two_breaks_part_paragraphs(html: str, expected: str) -> None:
    assert markdown(html) == expected
