import pytest

from .read import page

WORDS = "Grüße aus dem Hafen: Kähne, Öfen und Bänke für alle, die es mögen."
PAGE = f"<p>{WORDS}</p>"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (PAGE.encode(), ""),
        (PAGE.encode(), "text/html; charset=utf-8"),
        (PAGE.encode("cp1252"), "text/html; charset=ISO-8859-1"),
        (PAGE.encode("cp1252"), ""),
        (f"<meta charset=windows-1252>{PAGE}".encode("cp1252"), ""),
        (b"\xff\xfe" + PAGE.encode("utf-16-le"), "text/html; charset=utf-8"),
        (b"\xef\xbb\xbf" + PAGE.encode(), "text/html; charset=windows-1252"),
        (PAGE.encode(), "text/html; charset=windows-1252"),
        (f"<meta charset=gbk>{PAGE}".encode(), ""),
        (f"<meta charset=utf-8>{PAGE}".encode("cp1252"), "text/html; charset=windows-1252"),
        (b"\xef\xbb\xbf" + f"<meta charset=gbk>{PAGE}".encode(), ""),
        (PAGE.encode(), "text/html; charset=x-bogus"),
        (PAGE.encode(), "text/html; charset=zlib"),
        (PAGE.encode(), "text/html; charset=" + "x" * 5000),
    ],
)
def test_bytes_are_read_by_mark_header_page_or_look(body: bytes, content_type: str) -> None:
    assert page(body, content_type).content == WORDS


@pytest.mark.parametrize("name", ["utf-7", "punycode", "unicode_escape"])
def test_encodings_that_no_browser_knows_are_not_used(name: str) -> None:
    body = b"<p>MARKER +ADw-b+AD4- \\x3cb\\x3e -bbb</p>"

    content = page(body, f"text/html; charset={name}").content

    assert content.replace("\\\\", "\\") == "MARKER +ADw-b+AD4- \\x3cb\\x3e -bbb"


def test_invalid_bytes_become_replacement_characters() -> None:
    content = page(b"<p>MARKER \xff\xc3\x28\xed\xa0\x80</p>", "text/html; charset=utf-8").content

    assert content.startswith("MARKER \ufffd\ufffd(\ufffd")
    content.encode()


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("gbk", "潮水退了，港口的船都靠在岸边。"),
        ("big5", "潮水退了，港口的船都靠在岸邊。"),
        ("shift_jis", "潮が引き、港の船は岸に寄せられている。"),
        ("euc-jp", "潮が引き、港の船は岸に寄せられている。"),
        ("euc-kr", "썰물이 지고 항구의 배들은 물가에 있다."),
        ("windows-1251", "Вода ушла, и лодки стоят у берега."),
        ("koi8-r", "Вода ушла, и лодки стоят у берега."),
        ("iso-8859-7", "Τα νερά έφυγαν και οι βάρκες μένουν."),
        ("windows-1256", "انحسر الماء والقوارب عند الشاطئ"),
    ],
)
def test_a_saved_page_is_not_taken_for_what_it_was(charset: str, text: str) -> None:
    markup = f"<meta charset={charset}><p>{text}</p>"

    assert page(markup.encode(charset)).content == text
    assert page(markup.encode()).content == text


def test_a_broken_character_does_not_make_a_page_another_charset() -> None:
    words = "潮水退了，港口的船都靠在岸边。" * 20
    body = f"<meta charset=gbk><p>{words}</p>".encode()

    content = page(body[:-7] + b"\xe6" + body[-7:]).content

    assert content.startswith("潮水退了，港口")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("gbk", "潮水退了，港口的船都靠在岸边。"),
        ("shift_jis", "潮が引き、港の船は岸に寄せられている。"),
        ("iso-2022-jp", "潮が引き、港の船は岸に寄せられている。"),
        ("euc-kr", "썰물이 지고 항구의 배들은 물가에 있다."),
        ("windows-1251", "Вода ушла, и лодки стоят у берега."),
        ("koi8-r", "Вода ушла, и лодки стоят у берега."),
    ],
)
def test_a_charset_that_cannot_be_is_not_believed(charset: str, text: str) -> None:
    words = f"<p>{text * 4}</p>".encode(charset)
    told = f"<meta charset={charset}>".encode()

    assert page(told + words, "text/html; charset=utf-8").content == text * 4
    assert page(told + words, "text/html; charset=iso-8859-1").content == text * 4
    assert page(b"<meta charset=utf-8>" + words).content == text * 4
    assert page(words, "text/html; charset=utf-8").content == text * 4


def test_a_few_broken_characters_leave_the_charset_that_was_said() -> None:
    words = "Grüße aus dem Hafen. ".encode() * 2

    assert "Grüße" in page(b"<p>" + words + b"\xe4 " * 4, "text/html; charset=utf-8").content
