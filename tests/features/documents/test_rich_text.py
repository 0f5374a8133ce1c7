"""RTF, subtitles, papers and patents."""

import pytest

from tests.features.documents.read import error, page
from webseam.adapters.features.documents.formats import rtf
from webseam.ports.errors import EmptyContent
from webseam.ports.pages import LeftOut, PagePart, ReadPage

RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\froman\fcharset0 Times;}{\f1\fcharset204 Arial;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Subtitle;}}
{\info{\title My Title}{\author Jane}{\subject About}{\creatim\yr2024\mo3\dy5}}{\header Page header}
\pard\s1 Chapter One\par
\pard Hello \b bold\b0  caf\'e9 \u8364? and \f1\'cf\'f0\f0 .{\v hidden} {\*\unknown no}{\*\cs10 kept} {\field{\*\fldinst{HYPERLINK "https://e.org/x"}}{\fldrslt{\ul link text}}} \{end\}.\par
\pard{\listtext\'b7\tab}First\par
\pard{\listtext\'b7\tab}Second\par
\pard{\pntext 1.\tab}Counted\par
\trowd\cellx100\cellx200\pard\intbl A\cell B\par b\cell\row
\trowd\cellx100\cellx200\pard\intbl 1\cell 2\cell\row
\pard\s2 After {\pict\pngblip 89504e47}table\emdash dash\par
\pard Emoji \u-10179?\u-8704? x{\footnote A note.}\
\bin4 }}}}end}"""


def test_rich_text_has_headings_lists_links_tables_and_footnotes() -> None:
    assert page(RTF) == ReadPage(
        title="My Title",
        content="# Chapter One\n\nHello **bold** café € and Пр. kept [link text](https://e.org/x) {end}.\n\n"
        "- First\n- Second\n1. Counted\n\n| A | B b |\n| --- | --- |\n| 1 | 2 |\n\n## After table—dash\n\n"
        "Emoji 😀 x[^1]\n\nend\n\n[^1]: A note.\n\nHeader: Page header",
        author="Jane",
        description="About",
        published_at="2024-03-05",
        kind="rtf",
        links=1,
        notes=("removed 1 hidden word",),
        left_out=(LeftOut(kind="hidden", words=1),),
        parts=(PagePart(kind="hidden", text="hidden"),),
    )


def test_no_heading_is_lower_than_the_sixth() -> None:
    body = rb"{\rtf1{\stylesheet{\s8 heading 8;}}\pard\s8 Low\par\pard Text\par}"

    assert page(body).content == "###### Low\n\nText"


def test_items_whose_marks_are_written_are_items() -> None:
    body = rb"{\rtf1 {\pard \bullet \tx360\tab one\par}{\pard \endash \tab two\par}{\pard 1.\tab first\par}{\pard 2. no\par}}"

    assert page(body, "application/rtf").content == "- one\n- two\n1. first\n\n2. no"


def test_a_heading_with_a_label_stays_a_heading() -> None:
    styles = rb"{\stylesheet{\s1\outlinelevel0 Heading 1;}}"
    label = rb"{\listtext\pard\plain \tab}"

    document = page(
        rb"{\rtf1" + styles + rb"\pard\plain \s1\outlinelevel0" + label + rb"Tides\par}"
    )

    assert document.content == "# Tides"


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (rb"\ansicpg932 \'93\'fa", "日"),
        (rb"\ansicpg1250 \'b9", "ą"),
        (rb"\ansicpg99999 \'e9", "é"),
        (rb"\mac \'8e", "é"),
        (rb"\uc0\u233 x", "éx"),
        (rb"\uc2\u233 xyz", "éz"),
        (rb"\u-10179?x", "x"),
    ],
)
def test_letters_are_read_by_the_code_page_they_are_in(head: bytes, text: str) -> None:
    assert page(rb"{\rtf1" + head + b"}").content == text


def test_long_rich_text_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtf, "MAX_RTF_TOKENS", 10)

    document = page(rb"{\rtf1 " + rb"word\par " * 30 + b"}")

    assert document.content == "word"
    assert document.notes == ("only the first 4 marks of the document",)


def test_rich_text_without_words_is_empty() -> None:
    assert error(rb"{\rtf1{\pict 00}}") == EmptyContent(reason="no_text")


VTT = """WEBVTT - The talk

NOTE nobody reads this

STYLE
::cue { color: red }

1
00:01.000 --> 00:02.000 align:start
<v Ann>Hi &amp; <i>bye</i>

00:02.000 --> 00:03.000
<v Bob>Yes.

01:00:09.000 --> 01:00:10.000
<v Bob>Later.
"""


def test_subtitles_are_paragraphs_with_their_time_and_speaker() -> None:
    assert page(VTT, "text/vtt") == ReadPage(
        title="The talk",
        content="[0:01] Ann: Hi & bye\n\n[0:02] Bob: Yes.\n\n[1:00:09] Bob: Later.",
        kind="subtitles",
    )


def test_a_line_that_a_rolling_caption_repeats_is_said_once() -> None:
    text = (
        "1\r\n00:00:01,000 --> 00:00:02,000\r\nHello\r\n\r\n2\r\n00:00:02,000 --> 00:00:03,000\r\nHello\r\n"
        "{\\an8}world\r\n\r\n3\r\n00:00:03,000 --> 00:00:04,000\r\n\r\n"
    )

    assert page(text, "", "https://e.org/a.srt").content == "[0:01] Hello world"


def test_a_long_speech_is_cut_after_a_sentence() -> None:
    cues = "".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n + 1:02},000\n{'word ' * 20}end {n}.\n\n"
        for n in range(10)
    )

    assert page(cues, "application/x-subrip").content.count("\n\n") == 2


def test_subtitles_without_a_cue_stay_text() -> None:
    assert page("no cue at all", "text/vtt").content == "no cue at all"


JATS = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS-archivearticle1.dtd">
<article article-type="research-article" xml:lang="en" xmlns:xlink="x"><front><journal-meta><journal-title-group>
<journal-title>Waves</journal-title></journal-title-group></journal-meta><article-meta><title-group><article-title>On
<italic>tides</italic></article-title></title-group><contrib-group><contrib><name><surname>Lee</surname>
<given-names>Ann</given-names></name></contrib></contrib-group><pub-date><day>5</day><month>3</month><year>2024</year></pub-date>
<abstract><p>Short.</p></abstract></article-meta></front><body><sec><title>Intro</title><p>Text <xref>[1]</xref> <ext-link
xlink:href="https://e.org/">there</ext-link>.</p><sec><title>Deep</title><list list-type="order"><list-item><p>a</p></list-item></list>
<table-wrap><label>Table 1</label><caption><p>Sizes</p></caption><table><tr><th>h</th></tr><tr><td>1</td></tr></table></table-wrap>
<fig><label>Figure 1</label><caption><p>A wave</p></caption><graphic/></fig><code>x = 1</code></sec></sec></body><back><ref-list><title>References</title><ref>
<label>1</label><mixed-citation>Ann. <source>Sea</source>.</mixed-citation></ref></ref-list></back></article>"""


def test_a_paper_has_its_abstract_sections_tables_figures_and_references() -> None:
    assert page(JATS, "application/xml") == ReadPage(
        title="On tides",
        content="# On tides\n\n- Authors: Ann Lee\n\n## Abstract\n\nShort.\n\n## Intro\n\nText [1] [there](https://e.org/).\n\n### Deep\n\n1. a\n\n"
        "Table 1 Sizes\n\n| h |\n| --- |\n| 1 |\n\nFigure 1 A wave\n\n```\nx = 1\n```\n\n## References\n\n1. Ann. Sea.",
        author="Ann Lee",
        language="en",
        published_at="2024-03-05",
        site_name="Waves",
        kind="article",
        links=1,
    )


FRONT = """<article article-type="letter"><front><journal-meta><journal-title>Waves</journal-title></journal-meta><article-meta>
<article-categories><subj-group><subject>Letter</subject></subj-group></article-categories><title-group><article-title>Tides</article-title>
<subtitle>A view</subtitle></title-group><contrib-group><contrib contrib-type="author"><name><surname>Lee</surname><given-names>Ann</given-names>
</name></contrib><contrib contrib-type="editor"><string-name>Bo Kim</string-name></contrib></contrib-group><aff><label>1</label><institution>Harbour
School</institution>, <country>Malta</country></aff><author-notes><corresp>Write to <email>a@e.org</email></corresp><fn><p>None declared.</p></fn>
</author-notes><abstract abstract-type="summary"><title>In short</title><p>High.</p></abstract><kwd-group><kwd>sea</kwd><kwd>moon</kwd></kwd-group>
<funding-group><funding-statement>Nobody paid.</funding-statement></funding-group></article-meta></front>"""


def test_a_paper_says_who_wrote_it_where_and_for_whom() -> None:
    read = page(f"{FRONT}<body><p>Text.</p></body></article>", "application/xml")

    assert (read.author, read.site_name) == ("Ann Lee", "Waves")
    assert read.content == (
        "# Tides\n\nA view\n\n- Authors: Ann Lee\n- Editors: Bo Kim\n- Subjects: Letter\n- Keywords: sea, moon\n"
        "- 1 Harbour School, Malta\n- Write to a@e.org\n\n## In short\n\nHigh.\n\nText.\n\n"
        "## Author notes\n\nNobody paid.\n\nNone declared."
    )


def test_cells_that_reach_over_all_the_others_cost_no_more_than_there_are() -> None:
    row = "<tr><td colspan='99' rowspan='900'>a</td><td>b</td></tr>"
    body = f"<body><table-wrap><table>{row * 4000}</table></table-wrap></body>"

    shown = page(f"<article article-type='x'>{body}</article>", "application/xml").content

    assert shown.count("| a |") == 4000
    assert len(shown) < 4_000_000


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("<body><sec><label>2.1</label><title>Way</title></sec></body>", "## 2.1 Way"),
        (
            "<body><def-list><def-item><term>ebb</term><def><p>falls</p></def></def-item></def-list></body>",
            "- ebb: falls",
        ),
        ("<body><boxed-text><attrib>By <i>Ann</i></attrib></boxed-text></body>", "By Ann"),
        (
            "<body><table-wrap><table><tr><td rowspan='2'>a</td><td colspan='2'>b</td></tr><tr><td>c</td><td>d</td></tr><tr><td>e</td></tr><tr/></table><table-wrap-foot><fn><label>*</label><p>rough</p></fn></table-wrap-foot></table-wrap></body>",
            "| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| e |  |  |\n\n* rough",
        ),
        (
            "<body><table-wrap><table><tr><td>a</td><td rowspan='99'>b</td></tr><tr><td>c</td></tr></table></table-wrap></body>",
            "| a | b |\n| --- | --- |\n| c |  |",
        ),
        (
            "<body><p>See.</p></body><back><p>Thanks.</p></back><floats-group><fig><label>Figure 1</label></fig></floats-group>",
            "See.\n\nFigure 1\n\nThanks.",
        ),
        (
            "<body><p>See.</p></body><sub-article><front-stub><title-group><article-title>Reply</article-title></title-group><contrib-group><contrib><collab>Crew</collab></contrib></contrib-group></front-stub><body><p>Yes.</p></body></sub-article>",
            "See.\n\n## Reply\n\n- Authors: Crew\n\nYes.",
        ),
        (
            "<back><ref-list><ref><label>[2]</label><element-citation><source>Sea</source><year>2020</year></element-citation></ref><ref><label>Lee20</label><citation>Lee, <year>2020</year>.</citation></ref></ref-list></back>",
            "2. Sea 2020\n\n- Lee, 2020.",
        ),
    ],
)
def test_nothing_in_a_paper_is_lost_or_misplaced(inside: str, shown: str) -> None:
    read = page(f"<article article-type='x'>{inside}</article>", "application/xml")

    assert read.content == shown


PATENT = """<?xml version="1.0"?><!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45.dtd" [ ]><us-patent-grant lang="EN"
date-publ="20240305"><us-bibliographic-data-grant><invention-title>Cup</invention-title><inventors><inventor><addressbook>
<last-name>Lee</last-name><first-name>Ann</first-name></addressbook></inventor></inventors></us-bibliographic-data-grant>
<abstract><p>A cup.</p></abstract><description><heading>BACKGROUND</heading><p>Cups leak.</p></description>
<claims><claim><claim-text>1. A cup, <claim-text>with a handle.</claim-text></claim-text></claim></claims></us-patent-grant>"""


def test_a_patent_has_its_abstract_description_and_claims() -> None:
    assert page(PATENT, "text/xml") == ReadPage(
        title="Cup",
        content="# Cup\n\n## Abstract\n\nA cup.\n\n## BACKGROUND\n\nCups leak.\n\n## Claims\n\n1. A cup, with a handle.",
        author="Ann Lee",
        language="EN",
        published_at="2024-03-05",
        kind="article",
    )


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE article [<!ENTITY a "aa">]><article>&a;</article>',
        "<article article-type='x'><body>",
        "<article article-type='x'/>",
        "<journal-meta><x/></journal-meta>",
    ],
)
def test_other_xml_stays_xml(text: str) -> None:
    assert page(text, "application/xml").content == f"```xml\n{text}\n```"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (rb"{\b all} of {\i it} {\strike gone}{\striked1 too}", "**all** of *it* ~~gonetoo~~"),
        (rb"{\b\i both\i0  bold}\b plain\plain  end", "***both*** **boldplain** end"),
        (rb"{\pntext 3.\tab}third", "3. third"),
        (rb"{\pntext (c)\tab}{\b letter}", "- (c) **letter**"),
        (rb"7)\tab seventh", "7. seventh"),
    ],
)
def test_emphasis_and_the_numbers_of_items_are_kept(body: bytes, line: str) -> None:
    text = rb"{\rtf1 before\par " + body + rb"\par}"

    assert page(text, "application/rtf").content == f"before\n\n{line}"


def test_text_boxes_are_told_before_the_paragraph_they_are_in() -> None:
    shape = (
        rb"{\shp{\*\shpinst\shpleft1{\sp{\sn a}{\sv b}}{\shptxt\pard one\par two\par}}"
        rb"{\shprslt{\*\do\dptxbx{\dptxbxtext\pard one\par two\par}}}}"
    )
    drawn = rb"{\*\do\dobxpage\dptxbx{\dptxbxtext three}\dpx1}"
    body = rb"{\rtf1 \pard be" + shape + rb"fore" + drawn + rb"\par\pard after\par}"

    assert page(body).content == "one\n\ntwo\n\nthree\n\nbefore\n\nafter"


def test_a_text_box_that_is_never_ended_loses_nothing() -> None:
    assert page(rb"{\rtf1 \pard before{\shp{\*\shpinst{\shptxt box").content == "box\n\nbefore"


def test_a_text_box_in_no_shape_is_read_too() -> None:
    assert page(rb"{\rtf1 \pard before{\*\shptxt box\par}\par}").content == "box\n\nbefore"


def test_a_text_box_in_a_table_does_not_end_it() -> None:
    box = rb"{\shp{\*\shpinst{\shptxt\pard box\par}}}"
    body = (
        rb"{\rtf1\trowd\pard\intbl a\cell b\cell\row\pard\intbl c"
        + box
        + rb"\cell d\cell\row\pard}"
    )

    assert page(body).content == "box\n\n| a | b |\n| --- | --- |\n| c | d |"


def test_heads_and_feet_of_rich_text_follow_it_once() -> None:
    body = (
        rb"{\rtf1{\header\pard Tide \b Ltd\b0\par}{\headerf\pard {\field{\*\fldinst PAGE}{\fldrslt 3}}\par}"
        rb"{\footerl\pard Draft\par of May\par}{\footerr\pard Draft\par of May\par}\pard text\par}"
    )

    assert page(body).content == "text\n\nHeader: Tide Ltd\n\nFooter: Draft of May"
    assert page(rb"{\rtf1{\header Tide Ltd}\pard\par}").content == "Header: Tide Ltd"


def test_a_font_may_name_its_code_page() -> None:
    body = b"{\\rtf1{\\fonttbl{\\f1\\cpg1251 Arial;}}\\f1 \\'e8\\'ec\\'ff\\par}"

    assert page(body).content == "имя"
