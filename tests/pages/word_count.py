"""Count the words of a page's source, apart from the reader."""

from turbohtml import Element

from webseam.adapters.reader.html import fit_html_page
from webseam.adapters.reader.html_parsing import parse_page
from webseam.ports.pages import ReadPage
from webseam.ports.words import count_all_words

_NO_TEXT = "script,style,template,noscript"


def source_words(html: str) -> int:
    """Return the words of the text nodes and the form values of a page."""
    fitted = fit_html_page(html)
    return sum(_body_words(piece) for piece in (fitted.html, *fitted.rest))


def told_words(page: ReadPage) -> int:
    """Return the words that are in the content or told as left out."""
    assert page.words is not None
    return page.words + sum(entry.words for entry in page.left_out)


def _body_words(html: str | bytes) -> int:
    document = parse_page(html)
    body = None if document is None else document.find("body")
    assert body is not None
    for element in body.select("script,style,template"):
        element.extract()
    for title in body.select("title:not(svg title)"):
        title.extract()
    words = 0
    for element in body.find_all("noscript"):
        markup = Element("div")
        markup.set_inner_html(element.text)
        markup.remove(_NO_TEXT)
        words += _element_words(markup)
        element.extract()
    return words + _element_words(body)


def _element_words(element: Element) -> int:
    values = [field.attr("value") or "" for field in element.find_all("input")]
    return count_all_words([*element.strings, *values])
