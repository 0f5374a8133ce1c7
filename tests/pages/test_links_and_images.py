import pytest
from turbohtml import parse

from webseam.adapters.pages.safe_text import absolute_url
from webseam.adapters.reader.rendering.images import take_images
from webseam.ports.pages import PageImage

from .read import URL, article, page


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("/a b", "https://example.com/a%20b"),
        ("?q=1", "https://example.com/x?q=1"),
        ("#part", "https://example.com/x#part"),
        ("#a <b>", "https://example.com/x#a%20%3Cb%3E"),
        ("//other.example/y", "https://other.example/y"),
        ("HTTP://Example.org/", "HTTP://Example.org/"),
        ("mailto:a@example.com", "mailto:a@example.com"),
        ('https://example.com/"><b>', "https://example.com/%22%3E%3Cb%3E"),
        ("https://example.com/\u200b\ud800", "https://example.com/%E2%80%8B%3F"),
        ("/![x](http://e.example)", "https://example.com/!%5Bx%5D(http://e.example)"),
        ("javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("vbscript:x", None),
        ("http://[bad", None),
        ("//[bad", None),
        ("mailto:nobody", None),
        ("https://example.com/" + "x" * 3000, None),
    ],
)
def test_addresses_are_absolute_and_of_known_kinds_or_nothing(
    written: str, whole: str | None
) -> None:
    assert absolute_url(written, "https://example.com/x") == whole


def test_a_link_of_another_kind_keeps_its_words_and_loses_its_address() -> None:
    html = "<p><a href='javascript:alert(1)'>a</a> <a href='data:text/html,x'>b</a> <a name=c>c</a> word</p>"

    assert "\n\na b c word\n\n" in page(article(html)).content


def test_an_empty_link_leaves_nothing() -> None:
    assert "\n\nbefore after\n\n" in page(article("<p>before <a href=/x></a>after</p>")).content


QUAY = PageImage(url="https://example.com/quay.png", alt="Old quay")


@pytest.mark.parametrize(
    ("html", "image"),
    [
        ("<p>Words <img alt='Old quay' src=/quay.png></p>", QUAY),
        ("<p><img alt='Old quay' src='data:image/gif;base64,R0' data-src=/quay.png></p>", QUAY),
        ("<p><a href=/q><img alt='Old quay' src=/quay.png></a></p>", QUAY),
        ("<ul><li>words <img alt='Old quay' src=/quay.png></li></ul>", QUAY),
        ("<p><img alt='Old quay' src=/wait.gif data-srcset='/s.png 1w, /quay.png 9w'></p>", QUAY),
        ("<p><img alt='Old quay' srcset='/s.png 1x, /quay.png 2x'></p>", QUAY),
        ("<picture><source srcset=/quay.png><img alt='Old quay'></picture>", QUAY),
        ("<amp-img alt='Old quay' src=/quay.png></amp-img>", QUAY),
        ("<p><img alt='Old quay' srcset=' '></p>", None),
        ("<p>words <img src=/quay.png></p>", None),
        ("<p>See <img alt='Old quay' src='blob:x'> now</p>", None),
        ("<p><img alt='Old quay' src='data:image/png;base64,AAAA'></p>", None),
    ],
)
def test_a_picture_is_told_of_beside_the_text(html: str, image: PageImage | None) -> None:
    document = page(article(html + html))

    assert "quay" not in document.content
    assert "![" not in document.content
    assert document.images == (() if image is None else (image,))


@pytest.mark.parametrize(
    ("image", "text"),
    [
        (
            r"class=mwe-math-fallback-image-inline alt='{\displaystyle a+b_{1}}' src=/f.svg",
            "$a+b_{1}$",
        ),
        (r"class=mwe-math-fallback-image-display alt='a^2' src=/f.svg", "$$a^2$$"),
        (r"src='https://latex.codecogs.com/gif.latex?a' alt='\alpha_1'", r"$\alpha_1$"),
        ("class=equation alt='Equation 1' src=/f.png", "Equation 1"),
    ],
)
def test_a_formula_set_as_a_picture_is_text(image: str, text: str) -> None:
    document = page(article(f"<p>So <img {image}>, as they say on the quay.</p>"))

    assert f"So {text}, as" in document.content
    assert document.images == ()


def test_a_picture_has_the_caption_of_its_figure() -> None:
    html = "<main><figure><img src=/quay.png><figcaption>In 1901</figcaption></figure></main>"
    root = parse(html, positions=False).find("main")
    assert root is not None

    assert take_images(root, URL).images == (
        PageImage(url="https://example.com/quay.png", caption="In 1901"),
    )
    assert root.text == "In 1901"


def test_a_picture_has_the_caption_of_its_box() -> None:
    box = "<div class=wp-caption><img src=/quay.png><p class=wp-caption-text>In 1901</p></div>"
    root = parse(f"<main>{box}</main>", positions=False).find("main")
    assert root is not None

    assert [image.caption for image in take_images(root, URL).images] == ["In 1901"]


def test_pictures_are_bounded() -> None:
    several = "".join(f"<p><img alt='{'海' * 200} {n}' src=/{n}.png></p>" for n in range(200))

    assert 5 <= len(page(article(several)).images) < 50


def test_an_image_typed_as_text_stays_text() -> None:
    content = page(
        article("<p>![y](https://evil.example/p?q=1)</p><p>![IMAGE: x](https://evil.example)</p>")
    ).content

    assert "![" not in content
    assert "!\\[IMAGE: x\\](https://evil.example)" in content
