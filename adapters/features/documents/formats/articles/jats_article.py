"""Papers and patents in XML.

https://jats.nlm.nih.gov/publishing/ and https://bulkdata.uspto.gov/ (read 2026-11-15)
"""

from collections.abc import Iterable, Iterator
from typing import Final

from webseam.adapters.values.dates import iso_date

from ..draft import Draft, PageResult, Source, finish_draft
from ..office.package import BrokenFileError, TooLargeError
from ..office.xml_elements import XmlNode, parse_xml_elements
from ..plain_text_page import read_xml
from .article_blocks import article_blocks, element_date, element_line, person_name

_AUTHOR_TYPES: Final = frozenset({"", "author"})
_ROOTS: Final = ("article", "us-patent-grant", "us-patent-application")


def article_authors(about: XmlNode) -> list[str]:
    """Return the authors; the file has editors and reviewers in the same list."""
    people = about.subtree("contrib")
    return _unique_texts(
        person_name(node) for node in people if node.attribute("contrib-type") in _AUTHOR_TYPES
    )


def article_front_lines(about: XmlNode) -> str:
    """Return a list of authors, editors, subjects, keywords and affiliations."""
    people = about.subtree("contrib")
    editors = _unique_texts(
        person_name(node) for node in people if node.attribute("contrib-type") not in _AUTHOR_TYPES
    )
    fields = {
        "Authors": article_authors(about),
        "Editors": editors,
        "Subjects": _unique_texts(map(element_line, about.subtree("subject"))),
        "Keywords": _unique_texts(map(element_line, about.subtree("kwd"))),
    }
    lines = [f"{name}: {', '.join(values)}" for name, values in fields.items() if values]
    # Affiliations have their numbers, and contact addresses follow them.
    lines += _unique_texts(map(_affiliation_text, about.subtree("aff", "corresp")))
    return "\n".join(f"- {line}" for line in lines)


def _affiliation_text(node: XmlNode) -> str:
    # Many files have no blanks between the parts.
    parts = (child if isinstance(child, str) else element_line(child) for child in node.children)
    return " ".join(" ".join(parts).split()).replace(" ,", ",")


def abstract_blocks(about: XmlNode, base: str) -> Iterator[str]:
    """Yield the abstracts under their headings."""
    for abstract in about.elements("abstract", "trans-abstract"):
        if abstract.find("title") is None:
            yield "## Abstract"
        yield from article_blocks(abstract, 2, base)


def author_note_blocks(about: XmlNode, base: str) -> Iterator[str]:
    """Yield the funding statement and the author notes, under a heading."""
    texts = [element_line(node) for node in about.subtree("funding-statement")]
    for note in about.subtree("author-notes"):
        remaining = XmlNode(note.name, {})
        remaining.children = [node for node in note.elements() if node.name != "corresp"]
        texts += article_blocks(remaining, 2, base)
    yield from ("## Author notes", *filter(None, texts)) if any(texts) else ()


def _unique_texts(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def read_article(source: Source) -> PageResult:
    """Return a paper or a patent as markdown; other XML is shown as XML."""
    try:
        root = next(parse_xml_elements([source.body], *_ROOTS, doctype=True), None)
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if root is None:
        return read_xml(source)
    draft = _paper_draft(root, source) if root.name == "article" else _patent_draft(root, source)
    return finish_draft(draft) if draft.content.strip() else read_xml(source)


def _paper_draft(root: XmlNode, source: Source) -> Draft:
    about = root.find("front", "article-meta") or root.find("front") or XmlNode("front", {})
    titles = about.find("title-group") or about
    title = element_line(titles.find("article-title"))
    content = (
        f"# {title}" if title else "",
        *map(element_line, titles.subtree("subtitle", "trans-title")),
        article_front_lines(about),
        *abstract_blocks(about, source.url),
        *_text_parts(root, source.url),
        *author_note_blocks(about, source.url),
    )
    journal = root.find("front", "journal-meta")
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(article_authors(about)),
        published_at=element_date(about.find("pub-date")),
        language=root.attribute("lang"),
        site_name=_descendant_line(journal, "journal-title") if journal else "",
    )


def _descendant_line(node: XmlNode, name: str) -> str:
    return element_line(next(node.subtree(name), None))


def _text_parts(root: XmlNode, base: str) -> Iterator[str]:
    """Yield the text, floating figures, back matter, and letters about the paper."""
    for names in (("body",), ("floats-group", "floats-wrap"), ("back",)):
        for part in root.elements(*names):
            yield from article_blocks(part, 1, base)
    for letter in root.elements("sub-article", "response"):
        front = letter.find("front-stub") or letter.find("front") or letter
        title = _descendant_line(front, "article-title")
        yield f"## {title}" if title else ""
        yield article_front_lines(front) if front is not letter else ""
        yield from _text_parts(letter, base)


def _patent_draft(root: XmlNode, source: Source) -> Draft:
    title = _descendant_line(root, "invention-title")
    content = [f"# {title}" if title else ""]
    for name, heading in (("abstract", "Abstract"), ("description", ""), ("claims", "Claims")):
        part = root.find(name)
        if part:
            content += [f"## {heading}" if heading else "", *article_blocks(part, 1, source.url)]
    return Draft(
        content="\n\n".join(block for block in content if block),
        title=title or source.file_name,
        author=", ".join(filter(None, map(person_name, root.subtree("inventor")))),
        published_at=iso_date(root.attribute("date-publ")),
        language=root.attribute("lang"),
    )


READERS: Final = {"article": read_article}
