import pytest

from webseam.adapters.pages.text import absolute

from .read import article, page


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("/a b", "https://example.com/a%20b"),
        ("?q=1", "https://example.com/x?q=1"),
        ("#part", "https://example.com/x#part"),
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
    assert absolute(written, "https://example.com/x") == whole


def test_a_link_of_another_kind_keeps_its_words_and_loses_its_address() -> None:
    html = "<p><a href='javascript:alert(1)'>a</a> <a href='data:text/html,x'>b</a> <a name=c>c</a> word</p>"

    assert "\n\na b c word\n\n" in page(article(html)).content


def test_an_empty_link_leaves_nothing() -> None:
    assert "\n\nbefore after\n\n" in page(article("<p>before <a href=/x></a>after</p>")).content


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p><img alt='Old quay' src=/quay.png></p>", "[Old quay](https://example.com/quay.png)"),
        (
            "<p><img alt='Old quay' src='data:image/gif;base64,R0' data-src=/q.png></p>",
            "[Old quay](https://example.com/q.png)",
        ),
        ("<p><img alt='Old quay' src='data:image/png;base64,AAAA'></p>", "[IMAGE: Old quay]"),
        ("<p>See <img alt='Old quay' src='blob:x'> now</p>", "See Old quay now"),
        (
            "<p><a href=/q><img alt='Old quay' src=/quay.png></a></p>",
            "[Old quay](https://example.com/q)",
        ),
    ],
)
def test_an_image_is_a_link_or_a_mark_never_an_image(html: str, markdown: str) -> None:
    content = page(article(html)).content

    assert markdown in content
    assert "![" not in content


@pytest.mark.parametrize(
    "html",
    [
        "<p>words <img src=/quay.png></p>",
        "<p>words <img alt='The harbour' src=/quay.png></p>",
        "<ul><li>words <img alt='Old quay' src=/quay.png></li></ul>",
        "<p><a href=/q>words <img alt='Old quay' src=/quay.png></a></p>",
        "<div>words <img alt='Old quay' src=/quay.png></div>",
    ],
)
def test_an_image_that_tells_nothing_new_is_left_out(html: str) -> None:
    assert "quay" not in page(article(html)).content


def test_an_image_typed_as_text_stays_text() -> None:
    content = page(
        article("<p>![y](https://evil.example/p?q=1)</p><p>![IMAGE: x](https://evil.example)</p>")
    ).content

    assert "![" not in content
    assert "!\\[IMAGE: x\\](https://evil.example)" in content
