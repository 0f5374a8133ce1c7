"""Papers and patents in XML.

https://jats.nlm.nih.gov/publishing/ and https://bulkdata.uspto.gov/ (read 2026-11-15)
"""

from collections.abc import Iterator
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...dates import iso_date
from ..draft import Draft, Source, page_of
from ..office.package import BrokenFileError, TooLargeError
from ..office.xml import Node, elements
from ..plain import read_xml
from .blocks import blocks
from .front import abstracts, authors, back_notes, front_lines
from .words import date_of, flat, name_of

_ROOTS: Final = ("article", "us-patent-grant", "us-patent-application")


def read_article(source: Source) -> Result[ReadPage, WebError]:
    """Return a paper or a patent as markdown; XML that is neither after all stays XML."""
    try:
        root = next(elements([source.body], *_ROOTS, doctype=True), None)
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if root is None:
        return read_xml(source)
    draft = _paper(root, source) if root.name == "article" else _patent(root, source)
    return page_of(draft) if draft.content.strip() else read_xml(source)


def _paper(root: Node, source: Source) -> Draft:
    about = root.first("front", "article-meta") or root.first("front") or Node("front", {})
    titles = about.first("title-group") or about
    title = flat(titles.first("article-title"))
    content = (
        f"# {title}" if title else "",
        *(flat(each) for each in titles.walk() if each.name in ("subtitle", "trans-title")),
        front_lines(about),
        *abstracts(about, source.url),
        *_parts(root, source.url),
        *back_notes(about, source.url),
    )
    journal = root.first("front", "journal-meta")
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(authors(about)),
        published_at=date_of(about.first("pub-date")),
        language=root.get("lang"),
        site_name=_journal(journal) if journal else "",
    )


def _journal(about: Node) -> str:
    return flat(next((each for each in about.walk() if each.name == "journal-title"), None))


def _parts(root: Node, base: str) -> Iterator[str]:
    """Yield the text, figures that stand apart, what is behind it, and letters about it."""
    for names in (("body",), ("floats-group", "floats-wrap"), ("back",)):
        for part in root.nodes(*names):
            yield from blocks(part, 1, base)
    for letter in root.nodes("sub-article", "response"):
        about = letter.first("front-stub") or letter.first("front") or letter
        title = next((each for each in about.walk() if each.name == "article-title"), None)
        yield f"## {flat(title)}" if flat(title) else ""
        yield front_lines(about) if about is not letter else ""
        yield from _parts(letter, base)


def _patent(root: Node, source: Source) -> Draft:
    title = flat(next((each for each in root.walk() if each.name == "invention-title"), None))
    content = [f"# {title}" if title else ""]
    for name, heading in (("abstract", "Abstract"), ("description", ""), ("claims", "Claims")):
        part = root.first(name)
        if part:
            content += [f"## {heading}" if heading else "", *blocks(part, 1, source.url)]
    inventors = [each for each in root.walk() if each.name == "inventor"]
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(filter(None, map(name_of, inventors))),
        published_at=iso_date(_dashed(root.get("date-publ"))),
        language=root.get("lang"),
    )


def _dashed(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"
