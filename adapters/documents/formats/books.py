"""Books and manuals in XML: DocBook and TEI."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ..dates import iso_date
from .articles.article_blocks import article_blocks, element_line, person_name
from .draft import DAMAGED, Draft, Source, finish_page
from .flat import PART, wrap_xml
from .office.package import BrokenFileError, TooLargeError
from .office.xml_elements import XmlNode, part_elements
from .plain_text_page import read_xml


def rename_elements(node: XmlNode, names: Mapping[str, str]) -> XmlNode:
    """Rename an element and all inside of it; ``parent/name`` goes before ``name`` alone."""
    above = node.name
    for child in node.nodes():
        own = child.name
        inner = rename_elements(child, names)
        inner.name = names.get(f"{above}/{own}") or names.get(own, own)
    return node


# What the vocabularies of books call the parts of a text, in the words of papers (JATS).


def _vocabularies_called(meant: Mapping[str, str]) -> dict[str, str]:
    """Return names by what they mean, several to each, as what each name means."""
    return {name: meaning for meaning, names in meant.items() for name in names.split()}


# What only machines, indexes and editors read goes where nothing is shown.
_UNSEEN: Final = "object-id"
DOCBOOK: Final = _vocabularies_called(
    {
        "sec": "part chapter appendix preface section sect1 sect2 sect3 sect4 sect5 simplesect"
        " article refentry refsect1 refsect2 refsect3 refsection refsynopsisdiv glossary glossdiv"
        " bibliography bibliodiv colophon dedication acknowledgements partintro",
        "p": "para simpara formalpara bridgehead refnamediv attribution table/caption"
        " example/title procedure/title note/title tip/title warning/title caution/title"
        " important/title itemizedlist/title orderedlist/title variablelist/title"
        " blockquote/title sidebar/title step/title qandaset/title",
        "list": "itemizedlist orderedlist simplelist procedure substeps calloutlist",
        "list-item": "listitem member step callout",
        "def-list": "variablelist glosslist",
        "def-item": "varlistentry glossentry",
        "def": "varlistentry/listitem glossdef",
        "term": "glossterm",
        "table-wrap": "table informaltable",
        "fig": "figure informalfigure",
        "caption": "table/title figure/title",
        "code": "programlisting screen literallayout synopsis funcsynopsisinfo",
        "monospace": "code",
        "sup": "superscript",
        "ref": "biblioentry bibliomixed",
        _UNSEEN: "indexterm anchor remark alt imagedata index toc titleabbrev refmeta info bookinfo"
        " articleinfo chapterinfo sectioninfo sect1info refentryinfo",
    }
)
TEI: Final = _vocabularies_called(
    {
        "sec": "div div1 div2 div3 div4 div5 div6 div7",
        "title": "head",
        "verse-group": "lg",
        "span": "ref",
        "p": "ab l speaker stage byline dateline closer opener salute signed trailer label"
        " list/head table/head figure/head titlePart docAuthor docDate imprimatur",
        "list-item": "item",
        "table-wrap": "table",
        "entry": "cell",
        "monospace": "code",
        "code": "eg",
        "ref": "bibl biblStruct",
        _UNSEEN: "teiHeader graphic fw",
    }
)
# By the element at the root.
VOCABULARIES: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(
        ("book", "article", "chapter", "section", "refentry", "appendix", "set", "part"), DOCBOOK
    ),
    **dict.fromkeys(("TEI", "TEI.2"), TEI),
}


# A book or a manual in XML as markdown, told in the words of papers.

# Where a book says what it is.
_ABOUT: Final = (
    ("teiHeader", "fileDesc", "titleStmt"),
    ("bookinfo",),
    ("articleinfo",),
    ("info",),
    ("refentryinfo",),
)
# Where TEI has who wrote what it was made of, and what that says in short.
_HEADERS: Final = (
    ("teiHeader", "fileDesc", "sourceDesc", "biblStruct", "analytic"),
    ("teiHeader", "profileDesc"),
)
_TITLES: Final = (("title",), ("refmeta", "refentrytitle"))
_SUMMARIES: Final = ("abstract", "annotation")
_LINKS: Final = frozenset({"ulink", "link", "xref", "ref", "ptr", "a", "uri"})
_COUNTED: Final = frozenset({"orderedlist", "procedure", "substeps"})
_NUMBERED: Final = frozenset({"ordered", "numbered"})


class _Imprint(NamedTuple):
    """What a book says about itself."""

    title: str
    author: str
    published_at: str | None
    language: str
    summaries: list[XmlNode]


def read_book(source: Source) -> Result[ReadPage, WebError]:
    """Return a book as markdown; XML that is none after all stays XML."""
    package = wrap_xml(source)
    try:
        roots = list(part_elements(package, PART, *VOCABULARIES, entities=True))
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if not roots:
        return read_xml(source)
    about = _imprint(roots[0])
    pieces = [f"# {about.title}" if about.title else "", *_written(roots, about, source.url)]
    content = "\n\n".join(piece for piece in pieces if piece)
    if not content:
        return read_xml(source)
    return finish_page(
        Draft(
            content=content,
            title=about.title or source.file_name,
            author=about.author,
            published_at=about.published_at,
            language=about.language,
            notes=(DAMAGED,) if package.is_damaged else (),
        )
    )


def _imprint(root: XmlNode) -> _Imprint:
    about = next((found for path in _ABOUT if (found := root.first(*path))), root)
    header = [found for path in _HEADERS if (found := root.first(*path))]
    titles = (place.first(*path) for place in (about, root) for path in _TITLES)
    day = about.first("pubdate") or about.first("date")
    language = about.first("lang")
    return _Imprint(
        title=next((words for each in titles if (words := element_line(each))), ""),
        author=", ".join(_authors(*([] if about is root else [about]), *header)),
        published_at=iso_date(day.get("value") or day.get("when") or element_line(day))
        if day
        else None,
        language=element_line(language) or root.get("lang"),
        summaries=[each for place in (about, *header) for each in place.nodes(*_SUMMARIES)],
    )


def _authors(*places: XmlNode) -> list[str]:
    """Return who wrote it, by the first place that names anybody."""
    for place in places:
        people = (each for each in place.walk() if each.name == "author")
        names = [name for person in people if (name := person_name(person) or _called(person))]
        if names:
            return list(dict.fromkeys(names))
    return []


def _called(person: XmlNode) -> str:
    return element_line(person.first("personname") or person)


def _written(roots: list[XmlNode], about: _Imprint, base: str) -> Iterator[str]:
    for root in roots:
        for node in root.walk():
            _prepare(node)
        told = rename_elements(root, VOCABULARIES[root.name])
        # It stands above.
        told.children = [each for each in told.children if not _is_title(each, about.title)]
        for summary in about.summaries if root is roots[0] else ():
            yield from article_blocks(summary, 1, base)
        yield from article_blocks(told, 1, base)


def _is_title(child: XmlNode | str, title: str) -> bool:
    return isinstance(child, XmlNode) and child.name == "title" and element_line(child) == title


def _prepare(node: XmlNode) -> None:
    """Say in one way where a link leads and how a list counts, and part the lines of a title."""
    if node.name in _LINKS:
        target = node.get("url") or node.get("href") or node.get("target")
        if target.startswith(("http:", "https:", "mailto:")):
            node.name = "ext-link"
            node.attributes["href"] = target
    elif node.name in _COUNTED or {node.get("type"), node.get("rend")} & _NUMBERED:
        node.attributes["list-type"] = "order"
    elif node.name == "refpurpose":
        node.children.insert(0, "— ")
    elif node.name == "title":
        node.children = [piece for child in node.children for piece in (child, " ")]


READERS: Final = {"book": read_book}
