"""Read a page in a test, and pages with enough around them to look like real ones."""

from returns.result import Success

from webseam.adapters.reader import read_html
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

URL = "https://example.com/guide/page.html"
PARAGRAPH = (
    "The harbour was built in three stages, and each of them took longer than the town had hoped. "
    "Stone came by barge from the quarries up the river, and every spring the floods undid a part "
    "of what the winter had finished."
)


def page(html: str | bytes, content_type: str = "") -> ReadPage:
    """Read a page that must be readable."""
    result = read_html(html, URL, content_type=content_type)
    assert isinstance(result, Success), result
    answer: ReadPage = result.unwrap()
    return answer


def refusal(html: str | bytes) -> WebError:
    """Read a page that must be refused."""
    return read_html(html, URL).failure()


def article(inside: str, head: str = "") -> str:
    """Put ``inside`` between paragraphs of an article with the usual things around it."""
    return (
        f"<html lang=en><head><title>The harbour</title>{head}</head><body>"
        "<nav><a href=/>Home</a><a href=/news>News</a></nav>"
        f"<main><article><h1>The harbour</h1><p>{PARAGRAPH}</p>{inside}<p>Later, {PARAGRAPH}</p>"
        "</article></main><footer>Copyright</footer></body></html>"
    )
