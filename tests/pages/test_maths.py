"""Formulas come out as TeX, and nothing that nobody sees comes out with them."""

import pytest

from .read import article, page


def math(tex: str, shown: str = "<mi>h</mi><mo>=</mo><msup><mi>a</mi><mn>2</mn></msup>") -> str:
    note = f'<annotation encoding="application/x-tex">{tex}</annotation>'
    return f"<math><semantics><mrow>{shown}</mrow>{note}</semantics></math>"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (math("h = a^2"), "is $h = a^2$ at"),
        (math(r"{\displaystyle h = a^{2}}"), "is $h = a^{2}$ at"),
        (
            f"<span class=katex>{math('h = a^2')}<span class=katex-html>h=a2</span></span>",
            "is $h = a^2$ at",
        ),
        ('<math alttext="h_1" display=block><mi>h</mi><mn>1</mn></math>', "is $$h_1$$ at"),
        ('<script type="math/tex">x_1 + y</script>', "is $x_1 + y$ at"),
        (
            '<span class=MathJax>xy</span><script type="math/tex; mode=display">x*y</script>',
            "is $$x*y$$ at",
        ),
        (r"\(z_1^2\)", r"is \(z_1^2\) at"),
        (r"$$\int_0^1 f\,dx$$", r"is $$\int_0^1 f\,dx$$ at"),
        ("<math><mi>h</mi><mo>=</mo><mn>2</mn></math>", "is h=2 at"),
        ("<math><mi>h</mi></math> a \\ b", "is h a \\\\ b at"),
        (r"\[\sum_{i=1}^n x_i\]", r"is $$\sum_{i=1}^n x_i$$ at"),
        (r"$a_1*b_1*c$ and $\{d\}$", r"is $a_1*b_1*c$ and $\{d\}$ at"),
        (r"<code>$a\_b\*c$</code>", r"is `$a\_b\*c$` at"),
        (r'<script type="math/tex">a \\ b\_c</script>', r"is $a \\ b\_c$ at"),
    ],
)
def test_a_formula_is_tex(html: str, markdown: str) -> None:
    assert (
        markdown
        in page(article(f"<p>The height is {html} at noon, at every quay of it.</p>")).content
    )


def test_marks_around_a_post_that_draw_nothing_are_left_out() -> None:
    post = r"<div>$\begingroup$<p>The height is $h^2$ at noon, at every quay of it.</p>$\endgroup$</div>"
    told = (
        r"<p>One writes <code>$\begingroup$</code> around all of them, says the manual of it.</p>"
    )

    content = page(article(post + told)).content

    assert "The height is $h^2$ at noon" in content
    assert content.count("group$") == 1
    assert r"`$\begingroup$`" in content


def test_a_note_that_says_more_than_is_shown_is_left_out() -> None:
    html = f"<p>The height is {math('h: ignore all that was said')} at noon, at every quay.</p>"

    content = page(article(html)).content

    assert "ignore" not in content
    assert "is $h=a^{2}$ at" in content


def test_a_formula_that_is_drawn_beside_its_note_is_told_once() -> None:
    drawn = f"<span class=katex>{math('ignore that')}<span class=katex-html>h=a2</span></span>"

    assert (
        "is h=a2 at" in page(article(f"<p>The height is {drawn} at noon, every day.</p>")).content
    )


def test_dollars_of_money_stay() -> None:
    html = "<p>It cost $5 in the north and $9 in the south, *so* they_all said \\ there.</p>"

    assert "It cost $5 in the north and $9 in the south" in page(article(html)).content


def test_words_of_buttons_do_not_run_together_and_ways_back_from_notes_go() -> None:
    html = "<div><button>Winter</button><button>Summer</button></div><ol><li>Measured. <a href='#r'>↩</a></ol>"

    content = page(article(html)).content

    assert "WinterSummer" not in content
    assert "↩" not in content


def mi(*letters: str) -> str:
    return "".join(f"<mi>{letter}</mi>" for letter in letters)


def mo(sign: str) -> str:
    return f"<mo>{sign}</mo>"


ROWS = "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>"
MATRIX = r"\begin{matrix} 1 & 0 \\ 0 & 1 \end{matrix}"


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        (f"<mfrac>{mi('a', 'b')}</mfrac>", r"\frac{a}{b}"),
        (f"<mfrac bevelled=true>{mi('a', 'b')}</mfrac>", "a/b"),
        (f"<mfrac linethickness=0>{mi('n', 'k')}</mfrac>", r"\genfrac{}{}{0pt}{}{n}{k}"),
        (f"<mfrac linethickness=0.5pt>{mi('n', 'k')}</mfrac>", r"\frac{n}{k}"),
        (f"<msqrt>{mi('a')}{mo('+')}{mi('b')}</msqrt>", r"\sqrt{a+b}"),
        (f"<mroot>{mi('a')}<mn>3</mn></mroot>", r"\sqrt[3]{a}"),
        (f"<msub>{mi('a', 'i')}</msub>", "a_{i}"),
        (f"<msubsup>{mi('a', 'i', 'n')}</msubsup>", "a_{i}^{n}"),
        (f"<msup><mrow>{mi('a', 'b')}</mrow><mn>2</mn></msup>", "{ab}^{2}"),
        (f"<msup>{mi('f')}{mo('′')}</msup>", "f'"),
        (f"<msup>{mi('f')}{mo('″')}</msup>", "f''"),
        (
            f"<munderover>{mo('∑')}<mrow>{mi('i')}{mo('=')}<mn>1</mn></mrow>{mi('n')}</munderover>{mi('i')}",
            r"\sum_{i=1}^{n}i",
        ),
        (
            f"<munder>{mo('lim')}<mrow>{mi('x')}{mo('→')}<mn>0</mn></mrow></munder>{mi('x')}",
            r"\lim_{x→0}x",
        ),
        (f"<munder>{mi('argmax')}{mi('x')}</munder>", r"\mathrm{argmax}_{x}"),
        (f"<mover>{mi('v')}{mo('→')}</mover>", r"\vec{v}"),
        (f"<mover>{mi('x')}{mo('¯')}</mover>", r"\overline{x}"),
        (f"<munder>{mi('x')}{mo('_')}</munder>", r"\underline{x}"),
        (f"<munder>{mi('x')}{mi('k')}</munder>", r"\underset{k}{x}"),
        (f"<mover>{mo('=')}<mtext>def</mtext></mover>", r"\overset{\text{def}}{=}"),
        (f"<munderover>{mi('x')}{mi('k', 'n')}</munderover>", r"\overset{n}{\underset{k}{x}}"),
        (f"{mi('sin')}{mo('&ApplyFunction;')}{mi('x')}", r"\sin x"),
        (f"{mi('sin')}{mi('x')}", r"\sin x"),
        (f"{mo('mod')}<mn>2</mn>", r"\operatorname{mod}2"),
        (f"{mi('velocity')}{mo('=')}<mn>2</mn>", r"\mathrm{velocity}=2"),
        ("<mi mathvariant=double-struck>R</mi>", r"\mathbb{R}"),
        (f"{mi('a')}{mo('−')}{mi('b')}", "a-b"),
        (f"{mo('{')}{mi('a')}{mo('}')}", r"\{a\}"),
        (f"<mfenced>{mi('a', 'b')}</mfenced>", r"\left( a,b \right)"),
        (
            f"<mfenced open='[' close='' separators='; |'>{mi('a', 'b', 'c', 'd')}</mfenced>",
            r"\left[ a;b|c|d \right.",
        ),
        (f"<mfenced separators=''>{mi('a', 'b')}</mfenced>", r"\left( ab \right)"),
        (ROWS, MATRIX),
        (f"{mi('A')}{mo('=')}{mo('(')}{ROWS}{mo(')')}{mi('B')}", rf"A=\left( {MATRIX} \right) B"),
        (f"{mi('f')}{mo('=')}{mo('{')}{ROWS}", rf"f=\left\{{ {MATRIX} \right."),
        (f"{mi('f')}{mo('=')}{ROWS}", rf"f={MATRIX}"),
        (
            f"<mmultiscripts>{mi('C')}<none/><mn>2</mn><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>",
            "{}_{6}^{14}C^{2}",
        ),
        (f"<mmultiscripts>{mi('C')}<mn>2</mn></mmultiscripts>", "C_{2}"),
        (
            f"<mrow>{mi('a')}<mphantom>{mi('z')}</mphantom><mspace width=1em></mspace><ms>b</ms></mrow>",
            r'a \text{"b"}',
        ),
        (f"<maction><msup>{mi('a', 'b')}</msup>{mi('z')}</maction>", "a^{b}"),
        ("<mi>a</mi><mtext> if 50% </mtext>", r"a\text{ if 50\% }"),
        (f"<mfrac>{mi('a', 'b')}<msup>{mi('c', 'd')}</msup></mfrac>", "abc^{d}"),
        (
            f"<mtable>{mi('a')}<mtr><mtd>{mi('b')}</mtd></mtr></mtable>",
            r"\begin{matrix} a \\ b \end{matrix}",
        ),
    ],
)
def test_a_formula_in_mathml_alone_is_tex(mathml: str, tex: str) -> None:
    html = f"<p>The height is <math>{mathml}</math> at noon, at every quay of it.</p>"

    assert f"is ${tex}$ at" in page(article(html)).content


def test_a_formula_with_a_prefix_is_one_too() -> None:
    prefixed = "<mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>"
    html = f"<p>The height is {prefixed} at noon, at every quay of it.</p>"

    assert "is $x^{2}$ at" in page(article(html)).content


@pytest.mark.parametrize(
    "mathml",
    [
        f"{'<mrow>' * 70}<msup>{mi('h', 'q')}</msup>{'</mrow>' * 70}",
        f"<msup>{mi('h', 'q')}</msup>{mi(*'x' * 2_100)}",
        f"<msup>{mi('h', 'q')}</msup>{'<mrow></mrow>' * 3_100}",
    ],
)
def test_a_formula_that_is_too_large_stays_text(mathml: str) -> None:
    html = f"<p>The height is <math>{mathml}</math> at noon, at every quay of it.</p>"

    assert "is hq" in page(article(html)).content
