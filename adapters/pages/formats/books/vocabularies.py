"""What the vocabularies of books call the parts of a text, in the words of papers (JATS).

https://tdg.docbook.org/ and https://tei-c.org/release/doc/.

``parent/name`` goes before ``name`` alone.
"""

from collections.abc import Mapping
from typing import Final


def _called(meant: Mapping[str, str]) -> dict[str, str]:
    """Return names by what they mean, several to each, as what each name means."""
    return {name: meaning for meaning, names in meant.items() for name in names.split()}


# What only machines, indexes and editors read goes where nothing is shown.
_UNSEEN: Final = "object-id"
DOCBOOK: Final = _called(
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
TEI: Final = _called(
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
