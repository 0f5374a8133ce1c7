"""HTML files as plain markdown: headings, paragraphs and list items, without what is not read."""

import re
from html.parser import HTMLParser

from returns.result import Result

from ...ports.errors import WebError
from .reading import Reading, decode

_SILENT = frozenset(("script", "style", "template", "noscript", "nav", "svg", "iframe", "object"))
_BREAKING = (
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figure", "footer",
    "form", "header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "td", "th", "tr",
    "ul",
)  # fmt: skip
_HEADING = re.compile(r"h([1-6])")
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r"\s*\n\s*")


def read_html(content: bytes, name: str) -> Result[Reading, WebError]:
    """Read an HTML file; its title is its own, else the file's name."""
    return decode(content).map(lambda text: _read(text, name))


def _read(text: str, name: str) -> Reading:
    page = _Page()
    page.feed(text)
    page.close()
    body = _LINES.sub("\n\n", _BLANKS.sub(" ", "".join(page.pieces))).strip()
    return Reading(title="".join(page.title).strip() or name, text=body)


class _Page(HTMLParser):
    """Collects what a reader sees."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title: list[str] = []
        self._silent = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, a heading, or silence."""
        del attrs
        heading = _HEADING.fullmatch(tag)
        if tag in _SILENT:
            self._silent += 1
        elif tag == "title":
            self._in_title = True
        elif heading:
            self.pieces.append("\n" + "#" * int(heading[1]) + " ")
        elif tag in _BREAKING:
            self.pieces.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        """End what began."""
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title":
            self._in_title = False
        elif tag in _BREAKING or _HEADING.fullmatch(tag):
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        """Keep text that is shown."""
        if self._in_title:
            self.title.append(data)
        elif not self._silent:
            self.pieces.append(data.replace("\n", " "))
