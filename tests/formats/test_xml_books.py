"""Books and manuals in XML: DocBook, DITA, TEI, FictionBook; patents from before 2005."""

import pytest

from tests.formats.read import page

DOCBOOK = '<?xml version="1.0"?><book xmlns="http://docbook.org/ns/docbook" xml:lang="en">{}</book>'
OLD_DOCBOOK = '<!DOCTYPE {0} PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "d.dtd"{1}><{0}>{2}</{0}>'
DITA = '<!DOCTYPE {0} PUBLIC "-//OASIS//DTD DITA Topic//EN" "t.dtd"><{0} id="a">{1}</{0}>'
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader>{}</teiHeader><text><body>{}</body></text></TEI>'
FICTION = (
    '<?xml version="1.0" encoding="windows-1251"?><FictionBook xmlns="fb" xmlns:l="l">'
    "<description><title-info><author><first-name>Анна</first-name><last-name>Би</last-name></author>"
    '<book-title>Море</book-title><date value="2001-02-03">2001</date><lang>ru</lang></title-info></description>'
    "<body>{}</body><binary>AAAA</binary></FictionBook>"
)


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


def test_a_topic_has_steps_and_simple_tables() -> None:
    inside = (
        "<title>Dig</title><shortdesc>In sand.</shortdesc><prolog><author>Ann</author></prolog><taskbody>"
        "<steps><step><cmd>Take</cmd></step><step><cmd>Turn</cmd></step></steps>"
        "<simpletable><sthead><stentry>A</stentry></sthead><strow><stentry>b</stentry></strow></simpletable>"
        "<codeblock>dig()</codeblock></taskbody>"
    )

    document = page(DITA.format("task", inside), "", "https://e.org/a.dita")

    assert (document.kind, document.author) == ("book", "Ann")
    assert document.content == (
        "# Dig\n\nIn sand.\n\n1. Take\n1. Turn\n\n| A |\n| --- |\n| b |\n\n```\ndig()\n```"
    )


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


def test_a_novel_in_another_charset_is_read() -> None:
    section = "<section><title><p>Один</p><p>Отлив</p></title><p>Дважды.</p><poem><stanza><v>а</v><v>б</v></stanza></poem></section>"

    document = page(FICTION.format(section).encode("cp1251"), "", "https://e.org/a.fb2")

    assert (document.title, document.author, document.language) == ("Море", "Анна Би", "ru")
    assert document.published_at == "2001-02-03"
    assert document.content == "# Море\n\n## Один Отлив\n\nДважды.\n\nа\nб"


def test_a_book_that_is_cut_short_says_so() -> None:
    whole = DOCBOOK.format("<title>T</title><para>Words.</para><para>Cut</para>")

    document = page(whole[: whole.index("Cut")])

    assert document.content == "# T\n\nWords."
    assert document.notes == ("it is damaged: some of it may be missing",)


def test_a_book_without_words_stays_xml() -> None:
    assert page(DOCBOOK.format("<para/>")).content.startswith("```xml")
    assert page('<catalog x="docbook.org/ns/docbook"/>').content.startswith("```xml")


OLD_GRANT = """<?xml version="1.0"?>
<!DOCTYPE PATDOC SYSTEM "ST32.dtd" [<!ENTITY A.TIF SYSTEM "A.TIF" NDATA TIF>]>
<PATDOC><SDOBI><B100><B140><DATE><PDAT>20020827</PDAT></DATE></B140></B100>
<B540><STEXT><PDAT>Tide clock</PDAT></STEXT></B540><B721><PARTY-US><NAM><FNM><PDAT>Ann</PDAT></FNM>
<SNM><STEXT><PDAT>Bee</PDAT></STEXT></SNM></NAM></PARTY-US></B721></SDOBI>
<SDOAB><BTEXT><PARA><PTEXT><PDAT>A clock N</PDAT><HIL><SP><PDAT>2</PDAT></SP></HIL><PDAT>&times;&agr;</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDODE><BRFSUM><BTEXT><H LVL="1"><STEXT><PDAT>FIELD</PDAT></STEXT></H><PARA><PTEXT><PDAT>Of tides.</PDAT></PTEXT></PARA>
<CWU><TABLE-US><table><tbody><row><entry><PDAT>Port</PDAT></entry></row></tbody></table></TABLE-US></CWU></BTEXT></BRFSUM></SDODE>
<SDOCL><CL><CLM><PARA><PTEXT><PDAT>1. A clock.</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>"""
OLD_APPLICATION = """<?xml version="1.0"?>
<!DOCTYPE patent-application-publication SYSTEM "pap.dtd" [<!ENTITY A.TIF SYSTEM "A.TIF" NDATA TIF>]>
<patent-application-publication><subdoc-bibliographic-information><document-id>
<document-date>20020827</document-date></document-id><title-of-invention>Tide clock</title-of-invention>
<inventors><first-named-inventor><name><given-name>Ann</given-name><family-name>Bee</family-name></name></first-named-inventor></inventors>
</subdoc-bibliographic-information><subdoc-abstract><paragraph>A clock N<superscript>2</superscript>&times;&agr;</paragraph></subdoc-abstract>
<subdoc-description><summary-of-invention><heading lvl="1">FIELD</heading><paragraph>Of tides.</paragraph><paragraph>
<table-cwu><table><tbody><row><entry>Port</entry></row></tbody></table></table-cwu></paragraph></summary-of-invention></subdoc-description>
<subdoc-claims><claim><claim-text><highlight><bold>1</bold></highlight>. A clock.</claim-text></claim></subdoc-claims></patent-application-publication>"""


@pytest.mark.parametrize("body", [OLD_GRANT, OLD_APPLICATION], ids=["grant", "application"])
def test_a_patent_of_before_2005_is_read_as_later_ones(body: str) -> None:
    document = page(body, "text/xml")

    assert (document.kind, document.title, document.author) == ("article", "Tide clock", "Ann Bee")
    assert document.published_at == "2002-08-27"
    assert document.content == (
        "# Tide clock\n\n## Abstract\n\nA clock N²×α\n\n## FIELD\n\nOf tides.\n\n"
        "| Port |\n| --- |\n\n## Claims\n\n1. A clock."
    )
