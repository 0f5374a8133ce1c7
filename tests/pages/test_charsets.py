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
