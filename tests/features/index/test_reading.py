"""Text and markdown files, and what they say about themselves."""

import pytest
from returns.result import Success

from webseam.adapters.folder_files import DocumentText, decode_text, read_markdown, read_text
from webseam.ports.dates import leading_iso_day


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (b"A title\n\nand text", "A title"),
        (b"\n\n  A title  \ntext", "A title"),
        (b"x" * 300, "notes.txt"),
        (b"", "notes.txt"),
    ],
)
def test_a_text_is_called_by_its_first_line_if_that_is_short(content: bytes, title: str) -> None:
    assert read_text(content, "notes.txt").unwrap().title == title


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        (b"# Hello #\ntext", DocumentText(title="Hello", text="# Hello #\ntext")),
        (b"text\n\n# Later\n", DocumentText(title="Later", text="text\n\n# Later\n")),
        (b"## only second", DocumentText(title="n.md", text="## only second")),
        (
            b'---\ntitle: "Of Cats"\ndate: 2026-01-31 10:00\n---\n# Hello\n',
            DocumentText(title="Of Cats", text="# Hello\n", published="2026-01-31"),
        ),
        (
            b"---\r\npublished: 2026-02-01\r\n---\r\ntext",
            DocumentText(title="n.md", text="text", published="2026-02-01"),
        ),
        (b"---\ndate: soon\n---\ntext", DocumentText(title="n.md", text="text")),
        (b"---\nnever closed", DocumentText(title="n.md", text="---\nnever closed")),
    ],
)
def test_markdown_says_its_title_and_date(content: bytes, reading: DocumentText) -> None:
    assert read_markdown(content, "n.md").unwrap() == reading


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("größe".encode(), "größe"),
        (b"\xef\xbb\xbfmarked", "marked"),
        ("größe".encode("utf-16"), "größe"),
        (b"gr\xf6\xdfe", "größe"),
        (b"\x81 undefined in cp1252", "\ufffd undefined in cp1252"),
    ],
)
def test_a_file_is_decoded_by_what_it_is(content: bytes, text: str) -> None:
    assert decode_text(content) == Success(text)


@pytest.mark.parametrize("read", [read_text, read_markdown])
def test_binary_file_is_refused(read: object) -> None:
    assert callable(read)
    assert read(b"\x89PNG\x00\x00", "n").failure().reason == "it is not text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2026-01-31", "2026-01-31"), ("2026-02-30", None), (None, None), ("yesterday", None)],
)
def test_a_day_is_a_real_one(text: str | None, expected: str | None) -> None:
    assert leading_iso_day(text) == expected
