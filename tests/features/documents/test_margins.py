"""Comments on a document, and the heads and feet of its pages."""

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph, pptx, shape
from tests.features.documents.containers import compound, open_document
from tests.features.documents.read import page
from tests.features.documents.word_files import PLAIN, word_streams

_W = 'xmlns:w="w" xmlns:r="r"'


def commented(body: str, *comments: str) -> bytes:
    said = "".join(
        f'<w:comment w:id="{number}" w:author="Ann ![x](y)">{paragraph(text)}</w:comment>'
        for number, text in enumerate(comments)
    )
    return docx(body, {"word/comments.xml": f"<w:comments {_W}>{said}</w:comments>"})


def begun(number: int) -> str:
    return f'<w:commentRangeStart w:id="{number}"/>'


def ended(number: int) -> str:
    return f'<w:commentRangeEnd w:id="{number}"/><w:r><w:commentReference w:id="{number}"/></w:r>'


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_comments_follow_the_text_with_the_words_they_are_about() -> None:
    body = (
        f"<w:p>{run('The ')}{begun(0)}{run('tide')}{ended(0)}{run(' rises')}{begun(1)}</w:p>"
        f"<w:p>{run('twice')}<w:r><w:ptab/></w:r>{run('daily')}{ended(1)}<w:r><w:commentReference w:id='2'/></w:r></w:p>"
    )

    assert page(commented(body, "Which?", "A day", "Hm", "not in the text")).content == (
        "The tide rises\n\ntwice\tdaily\n\n## Comments\n\n- Ann !\\[x](y) on “tide”: Which?\n"
        "- Ann !\\[x](y) on “twice daily”: A day\n- Ann !\\[x](y): Hm"
    )


def test_words_that_a_comment_is_about_are_bounded_and_so_are_comments() -> None:
    body = f"<w:p>{begun(0)}{run('word ' * 1000)}{ended(0)}</w:p>"
    marks = "".join(ended(number) for number in range(1, 700))

    content = page(commented(body, "x" * 9000)).content
    many = page(commented(f"<w:p>{run('a')}{marks}</w:p>", *["b"] * 700)).content

    assert (content.count("word"), content.count("x")) == (1000 + 24, 1 + 3999)
    assert many.count("\n- ") == 500


def test_heads_and_feet_of_pages_are_told_once() -> None:
    targets = {"h": "header1.xml", "i": "header2.xml", "f": "footer1.xml"}
    parts = {
        "word/header1.xml": f"<w:hdr {_W}>{paragraph('Tide Ltd')}{paragraph('Harbour 1')}</w:hdr>",
        "word/header2.xml": f"<w:hdr {_W}>{paragraph('Tide Ltd Harbour 1')}</w:hdr>",
        "word/footer1.xml": f"<w:ftr {_W}>{paragraph('12')}</w:ftr>",
    }

    content = page(
        docx(paragraph("text"), {**parts, **build.relations("word/document.xml", targets)})
    ).content

    assert content == "text\n\nHeader: Tide Ltd Harbour 1"


def test_a_document_of_a_head_alone_has_that_head() -> None:
    parts = {"word/header1.xml": f"<w:hdr {_W}>{paragraph('Tide')}</w:hdr>"}
    links = build.relations("word/document.xml", {"h": "header1.xml"})

    assert page(docx("<w:p/>", {**parts, **links})).content == "Header: Tide"


def test_links_of_a_footnote_are_its_own_and_keep_their_place() -> None:
    linked = f'<w:p><w:hyperlink r:id="a" w:anchor="there">{run("x")}</w:hyperlink></w:p>'
    body = f'{linked}<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = (
        f'<w:footnotes {_W}><w:footnote w:id="2"><w:p><w:hyperlink r:id="a">{run("y")}'
        "</w:hyperlink></w:p></w:footnote></w:footnotes>"
    )
    parts = {
        "word/footnotes.xml": notes,
        **build.relations("word/document.xml", {"a": "https://e.org/text"}),
        **build.relations("word/footnotes.xml", {"a": "https://e.org/note"}),
    }

    assert page(docx(body, parts)).content == (
        "[x](https://e.org/text#there)\n\n[^1]\n\n[^1]: [y](https://e.org/note)"
    )


def test_comments_of_an_open_document_follow_its_text() -> None:
    remark = (
        '<office:annotation office:name="{0}"><dc:creator xmlns:dc="dc">Ann</dc:creator><dc:date xmlns:dc="dc">'
        "2024-03-05</dc:date><text:p>Which?</text:p><text:p>When?</text:p></office:annotation>"
    )
    body = (
        f'<text:p>The {remark.format("a")}tide<office:annotation-end office:name="a"/> rises</text:p>'
        f"<text:p>twice{remark.format('')}</text:p>"
    )

    assert page(open_document("text", body)).content == (
        "The tide rises\n\ntwice\n\n## Comments\n\n- Ann on “tide”: Which? When?\n- Ann: Which? When?"
    )


def test_comments_on_a_slide_follow_its_text_of_whatever_age_they_are() -> None:
    old = '<p:cmLst xmlns:p="p"><p:cm authorId="0"><p:text>Which  tide?</p:text></p:cm></p:cmLst>'
    new = (
        '<q:cmLst xmlns:q="q" xmlns:a="a"><q:cm authorId="{A}"><q:replyLst><q:reply authorId="0"><q:txBody><a:p><a:r>'
        "<a:t>Spring</a:t></a:r></a:p></q:txBody></q:reply></q:replyLst><q:txBody><a:p><a:r><a:t>Why?</a:t></a:r></a:p>"
        "</q:txBody></q:cm></q:cmLst>"
    )
    parts = {
        "ppt/commentAuthors.xml": '<p:l xmlns:p="p"><p:cmAuthor id="0" name="Ann"/></p:l>',
        "ppt/authors.xml": '<q:l xmlns:q="q"><q:author id="{A}" name="Bo"/></q:l>',
        "ppt/comments/comment1.xml": old,
        "ppt/comments/modern.xml": new,
        **build.relations(
            "ppt/slides/s0.xml", {"c": "../comments/comment1.xml", "d": "../comments/modern.xml"}
        ),
    }

    assert page(pptx([shape("text")], parts)).content == (
        "## Slide 1\n\n- text\n\nComments:\n\n- Ann: Which tide?\n- Bo: Why?\n- Ann: Spring"
    )


def test_heads_and_feet_of_an_open_document_are_told_once() -> None:
    pages = (
        "<style:header><text:p>Tide Ltd</text:p></style:header><style:header-left><text:p>Tide Ltd</text:p></style:header-left>"
        '<style:header-first style:display="false"><text:p>Unseen</text:p></style:header-first>'
        "<style:footer><text:p>Draft of <text:page-number>3</text:page-number></text:p></style:footer>"
    )
    masters = f"<style:master-page>{pages}</style:master-page>"

    def written(body: str) -> bytes:
        return open_document("text", body, masters=masters)

    assert page(written("<text:p>text</text:p>")).content == (
        "text\n\nHeader: Tide Ltd\n\nFooter: Draft of 3"
    )
    assert page(written("<text:p/>")).content == "Header: Tide Ltd\n\nFooter: Draft of 3"


def test_heads_and_feet_of_an_old_word_document_are_told_once() -> None:
    parting = ["\r"] * 6
    first = ["Tide Ltd\r\r", "Tide Ltd\r\r", "Even foot\r\r", "Odd foot\r\r", "", "First foot\r\r"]
    second = ["", "Second part\r\r", "", "", "", ""]

    def written(text: str) -> bytes:
        return compound(
            word_streams(
                [(text, PLAIN)],
                letters={"Second": b"\x35\x08\x01"},
                beside=([*parting, *first, *second], ""),
            )
        )

    assert page(written("text\r")).content == (
        "text\n\nHeader: Tide Ltd · Second part\n\nFooter: Even foot · Odd foot · First foot"
    )
    assert page(written("\r")).content.startswith("Header: Tide Ltd")
