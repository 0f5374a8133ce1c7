"""EPUB and OpenDocument: books, texts, sheets and slides."""

import pytest

from tests.features.documents.build import zipped
from tests.features.documents.containers import epub, open_document
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import LeftOut, PagePart, ReadPage

ABOUT = (
    "<dc:title>The Sea</dc:title><dc:creator>Ann Lee</dc:creator><dc:language>en</dc:language>"
    "<dc:date>2020-02-03</dc:date><dc:publisher>Tide</dc:publisher><dc:description>Of &lt;b&gt;waves</dc:description>"
)


def test_a_book_is_its_chapters_in_order_and_what_it_says_of_itself() -> None:
    chapters = [
        "<h1>One</h1><p>First <a href='c1.xhtml'>next</a> <a href='https://e.org/'>out</a></p>",
        "<h1>Two</h1><ul><li>a</li></ul><p style='display:none'>hidden</p>",
    ]

    assert page(epub(chapters, ABOUT)) == ReadPage(
        title="The Sea",
        content="- Publisher: Tide\n\n# One\n\nFirst next [out](https://e.org/)\n\n# Two\n\n- a",
        author="Ann Lee",
        language="en",
        published_at="2020-02-03",
        site_name="Tide",
        description="Of **waves**",
        kind="epub",
        links=1,
        notes=("removed 1 hidden word",),
        left_out=(LeftOut(kind="hidden", words=1),),
        parts=(PagePart(kind="hidden", text="hidden"),),
    )


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("<a><img alt='A wave' src='w.png'/></a>", "A wave"),
        ("<a href='https://e.org/'>See<img alt='a wave'/></a>", "[See a wave](https://e.org/)"),
        ("<a href='https://e.org/'><img alt=' '/></a>so", "so"),
        ("<img alt='A wave'/>", "A wave"),
    ],
)
def test_picture_descriptions_stand_in_links(inside: str, shown: str) -> None:
    assert page(epub([f"<p>{inside}</p>"])).content.endswith(shown)


def test_a_book_tells_who_made_it_and_its_numbers() -> None:
    about = (
        "<dc:title>The Sea</dc:title><dc:title>Of Tides</dc:title><dc:creator>Ann Lee</dc:creator><dc:creator>Bo Ek</dc:creator>"
        '<dc:contributor opf:role="ill" xmlns:opf="o">Cy  Fox</dc:contributor><dc:contributor id="d">Di</dc:contributor>'
        '<meta refines="#d" property="role">trl</meta><meta name="calibre:series" content="Waters"/>'
        "<dc:subject>sea</dc:subject><dc:subject>sea</dc:subject><dc:subject>tides</dc:subject>"
        "<dc:identifier>urn:isbn:978-3-16-148410-0</dc:identifier><dc:identifier>urn:uuid:b63b</dc:identifier>"
        '<dc:identifier opf:scheme="ISBN" xmlns:opf="o">316148410X</dc:identifier><dc:identifier>1234567890</dc:identifier>'
        "<dc:date>2014-10</dc:date><dc:language>en</dc:language><dc:language>sv</dc:language>"
        "<dc:rights>No ![p](https://e.org/p)</dc:rights><dc:source>https://e.org/sea</dc:source>"
    )

    document = page(epub(["<p>words"], about))

    assert (document.author, document.published_at) == ("Ann Lee, Bo Ek", "2014-10")
    assert document.content.splitlines() == [
        "- Also called: Of Tides",
        "- Contributors: Cy Fox (illustrator), Di (translator)",
        "- Languages: en, sv",
        "- Subjects: sea, tides",
        "- ISBN: 978-3-16-148410-0, 316148410X",
        "- Identifiers: urn:uuid:b63b, 1234567890",
        "- Source: https://e.org/sea",
        "- Rights: No !\\[p](https://e.org/p)",
        "- Series: Waters",
        "",
        "words",
    ]


def test_very_many_facts_of_a_book_are_cut() -> None:
    about = "".join(f"<dc:subject>s{number}</dc:subject>" for number in range(1000))
    long = f"<dc:rights>{'x' * 100_000}</dc:rights>"

    content = page(epub(["<p>words"], about + long)).content

    assert (content.count(", s"), content.count("x")) == (29, 299)


def test_book_without_chapters_has_no_text() -> None:
    assert error(epub(["<img src='a.png'>"], ABOUT)) == EmptyContent(reason="no_text")


def test_a_chapter_that_is_encrypted_is_left_out_and_told() -> None:
    locks = '<encryption><CipherReference URI="OPS/text/c%200.xhtml"/></encryption>'

    document = page(epub(["<p>noise", "<p>words"], parts={"META-INF/encryption.xml": locks}))

    assert (document.content, document.notes) == ("words", ("chapters that are encrypted: 1",))


def test_a_book_with_an_old_document_type_is_read() -> None:
    package = (
        '<!DOCTYPE package PUBLIC "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Package//EN" "x.dtd"><package>'
        '<metadata><dc-metadata><Title/></dc-metadata></metadata><manifest><item id="a" href="text/c%200.xhtml"'
        ' media-type="text/x-oeb1-document"/></manifest><spine><itemref idref="a"/></spine></package>'
    )

    assert page(epub(["<p>words"], parts={"OPS/book.opf": package})).content == "words"


@pytest.mark.parametrize(
    "parts",
    [
        {"META-INF/container.xml": "<container/>"},
        {"OPS/book.opf": '<!DOCTYPE p [<!ENTITY a "aa">]><package>&a;</package>'},
        {"OPS/book.opf": "<package><metadata>"},
    ],
)
def test_a_book_that_is_not_whole_is_corrupt(parts: dict[str, str]) -> None:
    assert error(epub(["<p>x"], parts=parts)) == ParseFailed(
        reason="corrupt", detail="it is not a whole epub file"
    )


def test_a_book_without_words_is_empty() -> None:
    assert error(epub([])) == EmptyContent(reason="no_text")


def test_a_book_that_unpacks_to_too_much_is_cut_off() -> None:
    assert error(epub(["<p>" + " " * (70 << 20)])) == ParseFailed(
        reason="too_complex", detail="it unpacks to too much"
    )


def test_a_long_book_is_cut_and_says_so() -> None:
    document = page(epub([f"<p>{'word ' * 400_000}", "<p>" + "word " * 900_000, "<p>more"]))

    assert document.notes == ("only the first 2 of 3 chapters",)


STYLES = (
    '<style:style style:name="P1" style:parent-style-name="Title"/><text:list-style style:name="L1">'
    '<text:list-level-style-number text:level="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>'
)
TEXT = (
    "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    '<text:p text:style-name="P1">Top</text:p><text:h text:outline-level="2">Part</text:h>'
    '<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/><text:span>d</text:span>'
    "<office:annotation><text:p>a comment</text:p></office:annotation>"
    "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>why</text:p></text:note-body></text:note>"
    ' <text:a xlink:href="https://e.org/">link</text:a> <text:a xlink:href="javascript:x">none</text:a></text:p>'
    '<text:list text:style-name="L1"><text:list-item><text:p>x</text:p><text:p>still x</text:p>'
    "<text:list><text:list-item><text:p>y</text:p></text:list-item></text:list></text:list-item></text:list>"
    "<text:p><draw:frame><svg:desc>A cat</svg:desc></draw:frame></text:p>"
    "<table:table><table:table-row><table:table-cell><text:p>h</text:p></table:table-cell></table:table-row>"
    "<table:table-row><table:table-cell><text:p>1</text:p><text:p>2</text:p></table:table-cell></table:table-row></table:table>"
)


def test_a_text_has_headings_lists_links_tables_footnotes_and_alternatives() -> None:
    meta = "<dc:title>T</dc:title><meta:initial-creator>Ann</meta:initial-creator><meta:creation-date>2024-03-05T10:00:00</meta:creation-date>"

    assert page(open_document("text", TEXT, STYLES, meta)) == ReadPage(
        title="T",
        content="# Top\n\n## Part\n\na  b\tc\nd[^1] [link](https://e.org/) none\n\n1. x\n   still x\n   - y\n\n"
        "[IMAGE: A cat]\n\n| h |\n| --- |\n| 1 2 |\n\n[^1]: why\n\n## Comments\n\n- a comment",
        author="Ann",
        published_at="2024-03-05T10:00:00",
        kind="odt",
        links=1,
    )


def test_a_text_keeps_emphasis_and_counts_its_lists() -> None:
    looks = {
        "B": 'fo:font-weight="bold"',
        "I": 'fo:font-style="italic"',
        "S": 'fo:font-weight="normal" style:text-line-through-style="solid"',
    }
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/></style:style>'
        for name, look in looks.items()
    )
    styles += '<style:style style:name="P" style:family="paragraph"><style:text-properties fo:font-weight="bold"/></style:style>'
    styles += '<style:style style:name="N" style:family="text"/>'
    styles += '<text:list-style style:name="L"><text:list-level-style-number text:level="1" text:start-value="4"/></text:list-style>'
    words = '<text:p text:style-name="P">a <text:span text:style-name="B">b <text:span text:style-name="I">c</text:span></text:span>'
    words += '<text:span text:style-name="S"> d</text:span><text:span text:style-name="N">e</text:span></text:p>'
    item = "<text:list-item><text:p>x</text:p></text:list-item>"
    lists = (
        f'<text:list text:style-name="L">{item}{item}</text:list>'
        f'<text:list text:style-name="L" text:continue-numbering="true">{item}</text:list>'
    )
    top = '<text:h><text:span text:style-name="B">Top</text:span></text:h>'

    content = page(open_document("text", top + words + lists, styles)).content

    assert content == "# Top\n\na **b** *c* ~~d~~e\n\n4. x\n5. x\n\n6. x"


def test_a_long_text_is_cut_and_says_so() -> None:
    document = page(open_document("text", "<text:p>x<text:s/></text:p>" * 61_000))

    assert document.notes == ("only the first 60,000 paragraphs, lists and tables",)


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def test_a_sheet_is_a_table_under_its_name_however_often_its_end_is_repeated() -> None:
    empty = '<table:table-cell table:number-columns-repeated="16000"/>'
    sheet = (
        f'<table:table table:name="One"><table:table-row>{cell("a")}{cell("b", TWICE)}{empty}</table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{cell("1")}</table:table-row>'
        f'<table:table-row table:number-rows-repeated="1000000">{empty}</table:table-row></table:table>'
        '<table:table table:name="Empty"/>'
    )

    document = page(open_document("spreadsheet", sheet))

    assert (
        document.content
        == "## One\n\n| a | b | b |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 |  |  |\n\n## Empty (empty)"
    )


TWICE = 'table:number-columns-repeated="2"'


def test_a_long_sheet_is_cut_and_says_so() -> None:
    rows = f"<table:table-row>{cell('x')}</table:table-row>".replace(
        ">", ' table:number-rows-repeated="50200">', 1
    )

    document = page(
        open_document("spreadsheet", f'<table:table table:name="S">{rows}</table:table>')
    )

    assert document.notes == ("only the first 50,000 rows of sheet S",)


def test_a_slide_has_its_title_its_text_what_a_picture_shows_and_its_notes() -> None:
    first = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Hi</text:p></draw:text-box></draw:frame>'
        "<draw:frame><draw:text-box><text:p>zero</text:p><text:list><text:list-item><text:p>one</text:p></text:list-item>"
        "</text:list></draw:text-box><svg:desc>A cat</svg:desc></draw:frame><presentation:notes><draw:frame>"
        "<draw:text-box><text:p>say it</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
    )

    document = page(open_document("presentation", f"{first}<draw:page/>"))

    assert (document.title, document.content) == (
        "Hi",
        "## Slide 1: Hi\n\n[IMAGE: A cat]\n- zero\n- one\n\nNotes: say it\n\n## Slide 2",
    )


def test_a_hidden_slide_says_so_and_gives_no_title() -> None:
    styles = (
        '<style:style style:name="dp1" style:family="drawing-page">'
        '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    title = '<draw:frame presentation:class="title"><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>'
    slides = f'<draw:page draw:style-name="dp1">{title.format("Old")}</draw:page><draw:page>{title.format("New")}</draw:page>'

    document = page(open_document("presentation", slides, styles))

    assert (document.title, document.content) == (
        "New",
        "## Slide 1 (hidden): Old\n\n## Slide 2: New",
    )
    assert document.notes == ("hidden slides: 1 (1)",)


def test_an_open_document_that_is_encrypted_wants_a_password() -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": manifest,
        "content.xml": "noise",
    }

    assert error(zipped(parts)) == ParseFailed(reason="encrypted")


def test_an_open_document_without_its_content_is_empty() -> None:
    body = zipped({"mimetype": "application/vnd.oasis.opendocument.text"})

    assert error(body) == EmptyContent(reason="no_text")


def test_text_boxes_of_an_open_document_follow_their_paragraph_and_are_read_once_in_cells() -> None:
    def box(*texts: str) -> str:
        inner = "".join(f"<text:p>{text}</text:p>" for text in texts)
        return f"<draw:frame><draw:text-box>{inner}</draw:text-box></draw:frame>"

    cell = f"<table:table-cell><text:p>c{box('d')}</text:p></table:table-cell>"
    body = (
        f"<text:p>be{box('one', 'two')}fore</text:p><text:p>after</text:p>"
        f"<table:table><table:table-row>{cell}</table:table-row></table:table>"
    )

    assert page(open_document("text", body)).content == (
        "before\n\none\n\ntwo\n\nafter\n\n| c d |\n| --- |"
    )


def test_a_field_with_the_title_is_read_and_the_title_of_a_drawing_is_not() -> None:
    drawing = "<draw:g><svg:title>A shape</svg:title></draw:g>"
    text = f"<text:p>On <text:span><text:title>Tides</text:title></text:span>{drawing}</text:p>"

    assert page(open_document("text", text)).content == "On Tides"
