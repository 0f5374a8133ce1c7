"""Show results to a person: as text, and as HTML for a notebook. Text from outside is escaped."""

from collections.abc import Iterable, Sequence

from .pages import LeftOut
from .text import disarm_pictures, lazy_pattern, one_line, strip_hidden

# The empty text stands for a title without a site name.
_TITLE_SEPARATORS = frozenset({"", "-", "\u2013", "—", "|", "·", "•", "»", "_"})
_HEADING_PATTERN = lazy_pattern(r"(#{1,6}) +(.*)")
_LINK_PATTERN = lazy_pattern(r"\[([^\[\]\n]{1,300})\]\((https?://[^\s()<>]{1,2000})\)")


def page_heading(title: str, content: str) -> str:
    """Return the title as a heading; empty if the content begins with it, less a site name."""
    line = one_line(title)
    first_line = content.lstrip().partition("\n")[0]
    heading = first_line.lstrip("#").strip() if first_line.startswith("#") else ""
    rest = line.removeprefix(heading).lstrip()
    is_repeated = bool(heading) and line.startswith(heading) and rest[:1] in _TITLE_SEPARATORS
    return "" if not line or is_repeated else f"# {disarm_pictures(line)}"


def left_out_text(left_out: Iterable[LeftOut]) -> str:
    """Return the kinds and words that were left out of a page; empty if there are none.

    >>> left_out_text([LeftOut(kind="menus", words=1200), LeftOut(kind="comments", words=1)])
    'menus (1,200 words), comments (1 word)'
    """
    return ", ".join(
        f"{entry.kind} ({entry.words:,} {'word' if entry.words == 1 else 'words'})"
        for entry in left_out
        if entry.words
    )


def html_link(url: str, text: str) -> str:
    """Return a link to a web page; for any other address, the text alone.

    >>> html_link("javascript:alert(1)", "<b>")
    '&lt;b&gt;'
    """
    if not url.lower().startswith(("http://", "https://")):
        return escape_html(text)
    attributes = f'href="{escape_html(url)}" target="_blank" rel="noreferrer noopener"'
    return f"<a {attributes}>{escape_html(text)}</a>"


def html_page(content: str) -> str:
    r"""Return markdown as HTML for a notebook: its headings, links and code, and the rest as text.

    Every character of the page is escaped, and nothing is loaded.

    >>> html_page("## Tides\n\n<img src=x> [more](https://a.example/)").splitlines()[0]
    "<h2>Tides</h2><div style='white-space: pre-wrap'>"
    """
    blocks: list[str] = []
    text: list[str] = []
    code: list[str] | None = None

    def end_text() -> None:
        lines = "\n".join(text).strip("\n")
        text.clear()
        if lines:
            blocks.append(f"<div style='white-space: pre-wrap'>\n{_html_links(lines)}</div>")

    for line in content.split("\n"):
        heading = _HEADING_PATTERN.fullmatch(line)
        if line.startswith("```"):
            if code is None:
                end_text()
                code = []
            else:
                blocks.append(f"<pre>{escape_html(chr(10).join(code))}</pre>")
                code = None
        elif code is not None:
            code.append(line)
        elif heading is not None:
            end_text()
            level = len(heading[1])
            blocks.append(f"<h{level}>{_html_links(heading[2])}</h{level}>")
        else:
            text.append(line)
    text += code or ()
    end_text()
    return "".join(blocks)


def _html_links(text: str) -> str:
    """Return a text escaped, with its links to web pages."""
    parts = []
    end = 0
    for link in _LINK_PATTERN.finditer(text):
        parts += [escape_html(text[end : link.start()]), html_link(link[2], link[1])]
        end = link.end()
    return "".join([*parts, escape_html(text[end:])])


def html_text(text: str) -> str:
    """Return a text as it stands, line by line."""
    return f"<div style='white-space: pre-wrap'>{escape_html(text)}</div>"


def html_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already."""
    head = "".join(f"<th>{name}</th>" for name in names)
    lines = ["".join(f"<td style='text-align: left'>{cell}</td>" for cell in row) for row in rows]
    return "<table>" + "\n".join(f"<tr>{line}</tr>" for line in [head, *lines]) + "</table>"


def escape_html(text: str) -> str:
    """Return a text without hidden characters, escaped for HTML."""
    from html import escape  # noqa: PLC0415  only a notebook needs it

    return escape(strip_hidden(text))
