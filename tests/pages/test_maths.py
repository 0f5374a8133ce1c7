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
        (f"<span class=katex>{math('h = a^2')}<span class=katex-html>h=a2</span></span>", "is $h = a^2$ at"),
        ('<math alttext="h_1" display=block><mi>h</mi><mn>1</mn></math>', "is $$h_1$$ at"),
        ('<script type="math/tex">x_1 + y</script>', "is $x_1 + y$ at"),
        ('<span class=MathJax>xy</span><script type="math/tex; mode=display">x*y</script>', "is $$x*y$$ at"),
        (r"\(z_1^2\)", r"is \(z_1^2\) at"),
        (r"$$\int_0^1 f\,dx$$", r"is $$\int_0^1 f\,dx$$ at"),
        ("<math><mi>h</mi><mo>=</mo><mn>2</mn></math>", "is h=2 at"),
        ("<math><mi>h</mi></math> a \\ b", "is h a \\\\ b at"),
    ],
)  # fmt: skip
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
    assert "h=a2" in content


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
