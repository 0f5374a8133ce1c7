"""Books and manuals in XML: DocBook and TEI."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

import msgspec

from webseam.adapters.values.dates import iso_date

from .articles.article_blocks import article_blocks, element_line, person_name
from .draft import DAMAGED, Draft, PageResult, Source, finish_draft
from .flat import DOCUMENT_PART, wrap_xml_as_package
from .office.package import BrokenFileError, TooLargeError
from .office.xml_elements import XmlNode, part_elements
from .plain_text_page import read_xml

# The writer of articles shows nothing of this element: use it for indexes and editors' remarks.
_HIDDEN: Final = "object-id"
_DOCBOOK_ROOTS: Final = (
    "book", "article", "chapter", "section", "refentry", "appendix", "set", "part",
)  # fmt: skip
# Where a book has its title, authors and date.
_METADATA_PATHS: Final = (
    ("teiHeader", "fileDesc", "titleStmt"), ("bookinfo",), ("articleinfo",), ("info",),
    ("refentryinfo",),
)  # fmt: skip
# Where TEI has the authors of the printed source, and the abstract.
_TEI_HEADER_PATHS: Final = (
    ("teiHeader", "fileDesc", "sourceDesc", "biblStruct", "analytic"),
    ("teiHeader", "profileDesc"),
)
_TITLE_PATHS: Final = (("title",), ("refmeta", "refentrytitle"))
_ABSTRACT_ELEMENTS: Final = ("abstract", "annotation")
_LINK_ELEMENTS: Final = frozenset({"ulink", "link", "xref", "ref", "ptr", "a", "uri"})
_NUMBERED_LIST_ELEMENTS: Final = frozenset({"orderedlist", "procedure", "substeps"})
_NUMBERED_LIST_TYPES: Final = frozenset({"ordered", "numbered"})


def rename_xml_elements(node: XmlNode, names: Mapping[str, str]) -> XmlNode:
    """Rename an element and all inside of it; ``parent/name`` goes before ``name`` alone."""
    above = node.name
    for child in node.elements():
        name = child.name
        inner = rename_xml_elements(child, names)
        inner.name = names.get(f"{above}/{name}") or names.get(name, name)
    return node


def _jats_names(names_by_meaning: Mapping[str, str]) -> dict[str, str]:
    """Return the JATS name of each DocBook or TEI element, so that one writer renders all three."""
    return {name: meaning for meaning, names in names_by_meaning.items() for name in names.split()}


DOCBOOK_NAMES: Final = _jats_names(
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
        _HIDDEN: "indexterm anchor remark alt imagedata index toc titleabbrev refmeta info bookinfo"
        " articleinfo chapterinfo sectioninfo sect1info refentryinfo",
    }
)
TEI_NAMES: Final = _jats_names(
    {
        "sec": "div div1 div2 div3 div4 div5 div6 div7", "title": "head", "verse-group": "lg",
        "span": "ref",
        "p": (
            "ab l speaker stage byline dateline closer opener salute signed trailer label"
            " list/head table/head figure/head titlePart docAuthor docDate imprimatur"
        ),
        "list-item": "item", "table-wrap": "table", "entry": "cell", "monospace": "code",
        "code": "eg", "ref": "bibl biblStruct", _HIDDEN: "teiHeader graphic fw",
    },
)  # fmt: skip
# By the name of the root element.
VOCABULARIES: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(_DOCBOOK_ROOTS, DOCBOOK_NAMES),
    **dict.fromkeys(("TEI", "TEI.2"), TEI_NAMES),
}


def read_book(source: Source) -> PageResult:
    """Return a book as markdown; XML without a known root is shown as XML."""
    package = wrap_xml_as_package(source)
    try:
        roots = list(part_elements(package, DOCUMENT_PART, *VOCABULARIES, entities=True))
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if not roots:
        return read_xml(source)
    draft, abstracts = _read_metadata(roots[0])
    blocks = _blocks(roots, abstracts, draft.title, source.url)
    content = "\n\n".join(filter(None, (draft.title and f"# {draft.title}", *blocks)))
    if not content:
        return read_xml(source)
    title = draft.title or source.file_name
    cuts = (DAMAGED,) if package.is_damaged else ()
    return finish_draft(msgspec.structs.replace(draft, content=content, title=title, cuts=cuts))


def _read_metadata(root: XmlNode) -> tuple[Draft, list[XmlNode]]:
    """Return a draft without content, and the abstracts."""
    about = next((node for path in _METADATA_PATHS if (node := root.find(*path))), root)
    header = [node for path in _TEI_HEADER_PATHS if (node := root.find(*path))]
    titles = (node.find(*path) for node in (about, root) for path in _TITLE_PATHS)
    day = about.find("pubdate") or about.find("date") or XmlNode("date", {})
    draft = Draft(
        content="",
        title=next((title for node in titles if (title := element_line(node))), ""),
        author=", ".join(_authors(*([] if about is root else [about]), *header)),
        published_at=iso_date(day.attribute("value") or day.attribute("when") or element_line(day)),
        language=element_line(about.find("lang")) or root.attribute("lang"),
    )
    nodes = (node.elements(*_ABSTRACT_ELEMENTS) for node in (about, *header))
    return draft, list(chain.from_iterable(nodes))


def _authors(*nodes: XmlNode) -> list[str]:
    """Return the authors from the first node that names any."""
    for node in nodes:
        names = [
            person_name(person) or element_line(person.find("personname") or person)
            for person in node.subtree("author")
        ]
        if any(names):
            return list(dict.fromkeys(filter(None, names)))
    return []


def _blocks(roots: list[XmlNode], abstracts: list[XmlNode], title: str, base: str) -> Iterator[str]:
    for root in roots:
        for node in root.subtree():
            _normalise_element(node)
        renamed = rename_xml_elements(root, VOCABULARIES[root.name])
        # The title already stands above the text.
        renamed.children = [node for node in renamed.children if not _is_title(node, title)]
        for abstract in abstracts if root is roots[0] else ():
            yield from article_blocks(abstract, 1, base)
        yield from article_blocks(renamed, 1, base)


def _is_title(child: XmlNode | str, title: str) -> bool:
    return isinstance(child, XmlNode) and child.name == "title" and element_line(child) == title


def _normalise_element(node: XmlNode) -> None:
    """Give links and numbered lists the attributes of JATS, and put blanks between title lines."""
    if node.name in _LINK_ELEMENTS:
        target = node.attribute("url") or node.attribute("href") or node.attribute("target")
        if target.startswith(("http:", "https:", "mailto:")):
            node.name = "ext-link"
            node.attributes["href"] = target
    elif (
        node.name in _NUMBERED_LIST_ELEMENTS
        or {node.attribute("type"), node.attribute("rend")} & _NUMBERED_LIST_TYPES
    ):
        node.attributes["list-type"] = "order"
    elif node.name == "refpurpose":
        node.children.insert(0, "— ")
    elif node.name == "title":
        node.children = [piece for child in node.children for piece in (child, " ")]


READERS: Final = {"book": read_book}
