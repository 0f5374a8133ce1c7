"""Papers and patents in XML.

https://jats.nlm.nih.gov/publishing/ and https://bulkdata.uspto.gov/ (read 2026-11-15)
"""

from collections.abc import Iterable, Iterator
from typing import Final

from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ...dates import iso_date
from ..draft import Draft, Source, finish_page
from ..office.package import BrokenFileError, TooLargeError
from ..office.xml_elements import XmlNode, parse_elements
from ..plain_text_page import read_xml
from .article_blocks import article_blocks, element_date, element_line, person_name

_AUTHORS: Final = frozenset({"", "author"})


def read_authors(about: XmlNode) -> list[str]:
    """Return who wrote it; editors and reviewers stand in the same list in the file."""
    people = _named(about, "contrib")
    return _once(person_name(each) for each in people if each.get("contrib-type") in _AUTHORS)


def front_lines(about: XmlNode) -> str:
    """Return as a list who wrote a paper and where they work, who edited it, what it is about."""
    people = _named(about, "contrib")
    editors = _once(
        person_name(each) for each in people if each.get("contrib-type") not in _AUTHORS
    )
    fields = {
        "Authors": read_authors(about),
        "Editors": editors,
        "Subjects": _once(element_line(each) for each in _named(about, "subject")),
        "Keywords": _once(element_line(each) for each in _named(about, "kwd")),
    }
    lines = [f"{name}: {', '.join(some)}" for name, some in fields.items() if some]
    return "\n".join(f"- {line}" for line in (*lines, *_places(about)))


def _places(about: XmlNode) -> list[str]:
    """Return where the authors work, each with its number, and how to reach them."""
    return _once(_address(each) for each in _named(about, "aff", "corresp"))


def _address(node: XmlNode) -> str:
    # In many a file nothing stands between its parts.
    parts = (child if isinstance(child, str) else element_line(child) for child in node.children)
    return " ".join(" ".join(parts).split()).replace(" ,", ",")


def read_abstracts(about: XmlNode, base: str) -> Iterator[str]:
    """Yield the abstracts under their headings."""
    for abstract in about.nodes("abstract", "trans-abstract"):
        if abstract.first("title") is None:
            yield "## Abstract"
        yield from article_blocks(abstract, 2, base)


def read_back_notes(about: XmlNode, base: str) -> Iterator[str]:
    """Yield who paid for it and what the authors say of themselves, under a heading."""
    notes = [*_named(about, "funding-statement"), *_named(about, "author-notes")]
    texts = [
        text
        for note in notes
        for text in ([element_line(note)] if note.name != "author-notes" else _notes(note, base))
        if text
    ]
    yield from ("## Author notes", *texts) if texts else ()


def _notes(note: XmlNode, base: str) -> Iterator[str]:
    rest = XmlNode(note.name, {})
    rest.children = [each for each in note.nodes() if each.name != "corresp"]
    yield from article_blocks(rest, 2, base)


def _named(about: XmlNode, *names: str) -> list[XmlNode]:
    return [each for each in about.walk() if each.name in names]


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


# Papers and patents in XML.

_ROOTS: Final = ("article", "us-patent-grant", "us-patent-application")


def read_article(source: Source) -> Result[ReadPage, WebError]:
    """Return a paper or a patent as markdown; XML that is neither after all stays XML."""
    try:
        root = next(parse_elements([source.body], *_ROOTS, doctype=True), None)
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if root is None:
        return read_xml(source)
    draft = _paper(root, source) if root.name == "article" else _patent(root, source)
    return finish_page(draft) if draft.content.strip() else read_xml(source)


def _paper(root: XmlNode, source: Source) -> Draft:
    about = root.first("front", "article-meta") or root.first("front") or XmlNode("front", {})
    titles = about.first("title-group") or about
    title = element_line(titles.first("article-title"))
    content = (
        f"# {title}" if title else "",
        *(element_line(each) for each in titles.walk() if each.name in ("subtitle", "trans-title")),
        front_lines(about),
        *read_abstracts(about, source.url),
        *_parts(root, source.url),
        *read_back_notes(about, source.url),
    )
    journal = root.first("front", "journal-meta")
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(read_authors(about)),
        published_at=element_date(about.first("pub-date")),
        language=root.get("lang"),
        site_name=_journal(journal) if journal else "",
    )


def _journal(about: XmlNode) -> str:
    return element_line(next((each for each in about.walk() if each.name == "journal-title"), None))


def _parts(root: XmlNode, base: str) -> Iterator[str]:
    """Yield the text, figures that stand apart, what is behind it, and letters about it."""
    for names in (("body",), ("floats-group", "floats-wrap"), ("back",)):
        for part in root.nodes(*names):
            yield from article_blocks(part, 1, base)
    for letter in root.nodes("sub-article", "response"):
        about = letter.first("front-stub") or letter.first("front") or letter
        title = next((each for each in about.walk() if each.name == "article-title"), None)
        yield f"## {element_line(title)}" if element_line(title) else ""
        yield front_lines(about) if about is not letter else ""
        yield from _parts(letter, base)


def _patent(root: XmlNode, source: Source) -> Draft:
    title = element_line(
        next((each for each in root.walk() if each.name == "invention-title"), None)
    )
    content = [f"# {title}" if title else ""]
    for name, heading in (("abstract", "Abstract"), ("description", ""), ("claims", "Claims")):
        part = root.first(name)
        if part:
            content += [f"## {heading}" if heading else "", *article_blocks(part, 1, source.url)]
    inventors = [each for each in root.walk() if each.name == "inventor"]
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(filter(None, map(person_name, inventors))),
        published_at=iso_date(_dashed(root.get("date-publ"))),
        language=root.get("lang"),
    )


def _dashed(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"


READERS: Final = {"article": read_article}
