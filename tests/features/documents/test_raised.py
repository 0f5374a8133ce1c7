"""Numbers above the line: ten to the sixth is not 106."""

from collections.abc import Callable

import pytest

from tests.features.documents.build import docx, pptx
from tests.features.documents.containers import compound, open_document
from tests.features.documents.read import page
from tests.features.documents.word_files import word_streams


def as_docx(looks: str) -> bytes:
    runs = (("10", ""), ("6", looks), (" and 1", ""), ("st", looks))
    return docx(
        "".join(
            [
                "<w:p>",
                *(f"<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>" for text, look in runs),
                "</w:p>",
            ]
        )
    )


def as_pptx(baseline: str) -> bytes:
    runs = (("10", ""), ("6", baseline), (" and 1", ""), ("st", baseline))
    said = "".join(f"<a:r><a:rPr {look}/><a:t>{text}</a:t></a:r>" for text, look in runs)
    return pptx([f"<p:sp><p:txBody><a:p>{said}</a:p></p:txBody></p:sp>"])


def as_odt(place: str) -> bytes:
    style = f'<style:style style:name="S" style:family="text"><style:text-properties style:text-position="{place}"/></style:style>'
    above = '<text:span text:style-name="S">{}</text:span>'.format
    return open_document("text", f"<text:p>10{above('6')} and 1{above('st')}</text:p>", style)


def as_rtf(word: str) -> bytes:
    return rf"{{\rtf1 10{{{word} 6}} and 1{{{word} st}}\par}}".encode()


def as_doc(commands: bytes) -> bytes:
    # The letters that are said to look otherwise are found by what they are.
    words = [("10", b""), ("6", commands), (" and 1", b""), ("st", commands)]
    text = "".join(each for each, _ in words)
    letters = {each: said for each, said in words if said}
    return compound(word_streams([(f"{text}\r", (0, b""))], letters=letters))


def as_paper(name: str) -> bytes:
    words = f"10<{name}>6</{name}> and 1<{name}>st</{name}>"
    return f"<article article-type='x'><body><p>{words}</p></body></article>".encode()


@pytest.mark.parametrize(
    ("make", "said", "is_raised"),
    [
        (as_docx, '<w:vertAlign w:val="superscript"/>', True),
        (as_docx, '<w:position w:val="8"/>', True),
        (as_docx, '<w:position w:val="2"/>', False),
        (as_docx, '<w:position w:val="-4"/>', False),
        (as_docx, '<w:vertAlign w:val="subscript"/>', False),
        (as_pptx, 'baseline="30000"', True),
        (as_pptx, 'baseline="-25000"', False),
        (as_odt, "super 58%", True),
        (as_odt, "33% 58%", True),
        (as_odt, "-33% 58%", False),
        (as_odt, "sub 58%", False),
        (as_odt, "0% 100%", False),
        (as_rtf, r"\super", True),
        (as_rtf, r"\up6", True),
        (as_rtf, r"\up", True),
        (as_rtf, r"\up2", False),
        (as_rtf, r"\super\nosupersub", False),
        (as_rtf, r"\super\super0", False),
        (as_rtf, r"\super\sub", False),
        (as_doc, b"\x48\x2a\x01", True),
        (as_doc, b"\x45\x48\x08\x00", True),
        (as_doc, b"\x45\x48\xf8\xff", False),
        (as_doc, b"\x48\x2a\x02", False),
        (as_doc, b"\x48\x2a\x01\x48\x2a\x00", False),
        (as_paper, "sup", True),
        (as_paper, "sub", False),
    ],
)
def test_a_number_above_the_line_is_raised_and_letters_are_not(
    make: Callable[[str | bytes], bytes], said: str | bytes, *, is_raised: bool
) -> None:
    content = page(make(said), "text/xml" if make is as_paper else "").content

    assert ("10⁶" if is_raised else "106") + " and 1st" in content


def test_a_blank_above_the_line_keeps_letters_in_their_places() -> None:
    commands = b"\x48\x2a\x01"
    body = compound(word_streams([("10 6 and 1st\r", (0, b""))], letters={" 6 ": commands}))

    assert page(body).content == "10 6 and 1st"
