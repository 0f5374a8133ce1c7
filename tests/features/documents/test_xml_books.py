"""Books and manuals in XML: DocBook and TEI."""

import pytest

from tests.features.documents.read import page

DOCBOOK = '<?xml version="1.0"?><book xmlns="http://docbook.org/ns/docbook" xml:lang="en">{}</book>'
OLD_DOCBOOK = '<!DOCTYPE {0} PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "d.dtd"{1}><{0}>{2}</{0}>'
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{}</teiHeader><text><body>{}</body></text></TEI>'


def test_a_manual_has_sections_lists_code_and_tables() -> None:
    info = (
        "<info><title>Of tides</title><author><personname><firstname>Ann</firstname>"
        "<surname>Bee</surname></personname></author><pubdate>2024-03-05</pubdate>"
        "<abstract><para>In short.</para></abstract></info>"
    )
    inside = (
        "<title>Ebb</title><para>Run <code>ebb</code>:<programlisting>ebb\n  --low</programlisting>"
        "and see <link xmlns:x='x' x:href='https://e.org/'>this</link> &mdash; or <link linkend='b'>that</link>.</para>"
        "<section><title>How</title><orderedlist><listitem><para>One</para><screen>$ one</screen></listitem>"
        "<listitem><para>Two</para><itemizedlist><listitem><para>Three</para></listitem></itemizedlist></listitem></orderedlist>"
        "<variablelist><varlistentry><term>low</term><listitem><para>little water</para></listitem></varlistentry></variablelist>"
        "<table><title>Ports</title><tgroup><thead><row><entry>Port</entry></row></thead>"
        "<tbody><row><entry>Kiel</entry></row></tbody></tgroup></table><indexterm><primary>no</primary></indexterm></section>"
    )

    document = page(DOCBOOK.format(f"{info}<chapter>{inside}</chapter>"))

    assert (document.kind, document.title, document.author) == ("book", "Of tides", "Ann Bee")
    assert (document.published_at, document.language) == ("2024-03-05", "en")
    assert document.content == (
        "# Of tides\n\nIn short.\n\n## Ebb\n\nRun ebb:\n\n```\nebb\n  --low\n```\n\n"
        "and see [this](https://e.org/) — or that.\n\n### How\n\n"
        "1. One\n   ```\n   $ one\n   ```\n1. Two\n   - Three\n\n- low: little water\n\n"
        "Ports\n\n| Port |\n| --- |\n| Kiel |"
    )


def test_an_older_manual_may_name_short_texts() -> None:
    subset = ' [<!ENTITY name "tides"><!ENTITY more SYSTEM "more.xml"><!ENTITY % all SYSTEM "all.ent">%all;]'
    inside = (
        "<refmeta><refentrytitle>tides</refentrytitle></refmeta>"
        "<refnamediv><refname>&name;</refname><refpurpose>rise and fall</refpurpose></refnamediv>"
        "<refsect1><title>Use</title><para>See &unknown; <ulink url='https://e.org/'>it</ulink>.</para>&more;</refsect1>"
    )

    document = page(OLD_DOCBOOK.format("refentry", subset, inside))

    assert document.title == "tides"
    assert document.content == (
        "# tides\n\ntides— rise and fall\n\n## Use\n\nSee &unknown; [it](https://e.org/)."
    )


@pytest.mark.parametrize(
    "subset",
    [
        ' [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]',
        " [<!ENTITY % a \"<!ENTITY b 'x'>\">%a;]",
        f' [<!ENTITY a "{"a" * 300}">]',
        ' [<!ENTITY a "<para>x</para>">]',
    ],
)
def test_texts_that_could_grow_leave_a_manual_as_it_is(subset: str) -> None:
    document = page(OLD_DOCBOOK.format("article", subset, "<para>Words.</para>"))

    assert document.content.startswith("```xml")


def test_texts_that_grow_too_long_leave_a_manual_as_it_is() -> None:
    subset = f' [<!ENTITY a "{"a" * 200}">]'

    document = page(OLD_DOCBOOK.format("article", subset, f"<para>{'&a;' * 50_000}</para>"))

    assert document.content.startswith("```xml")


def test_an_edition_has_its_header_verses_and_notes() -> None:
    header = (
        "<fileDesc><titleStmt><title>Of tides</title></titleStmt><sourceDesc><biblStruct><analytic>"
        "<author><persName><forename>Ann</forename><forename>C.</forename><surname>Bee</surname></persName></author>"
        "</analytic></biblStruct></sourceDesc></fileDesc><profileDesc><abstract><p>In short.</p></abstract></profileDesc>"
    )
    body = (
        "<div><head>One</head><lg><l>The sea</l><l>goes out</l></lg>"
        "<sp><speaker>ANN</speaker><p>It does.</p></sp>"
        "<list type='ordered'><item>so</item></list>"
        "<table><row><cell>a</cell><cell>b</cell></row></table>"
        "<p>See <ref target='https://e.org/'>it</ref>, <ref target='#n'>n</ref>.</p></div>"
    )

    document = page(TEI.format(header, body))

    assert (document.title, document.author) == ("Of tides", "Ann C. Bee")
    assert document.content == (
        "# Of tides\n\nIn short.\n\n## One\n\nThe sea\ngoes out\n\nANN\n\nIt does.\n\n1. so\n\n"
        "| a | b |\n| --- | --- |\n\nSee [it](https://e.org/), n."
    )


def test_a_book_that_is_cut_short_says_so() -> None:
    whole = DOCBOOK.format("<title>T</title><para>Words.</para><para>Cut</para>")

    document = page(whole[: whole.index("Cut")])

    assert document.content == "# T\n\nWords."
    assert document.notes == ("it is damaged: some of it may be missing",)


def test_a_book_without_words_stays_xml() -> None:
    assert page(DOCBOOK.format("<para/>")).content.startswith("```xml")
    assert page('<catalog x="docbook.org/ns/docbook"/>').content.startswith("```xml")
