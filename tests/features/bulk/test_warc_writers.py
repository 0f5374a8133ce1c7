"""WARC files of other tools: wget's addresses and notes, servers that end lines otherwise."""

import json
from pathlib import Path

import pytest

from tests.features.bulk.samples import html, rows, run
from webseam.composition.features.bulk.report_lines import left_out_lines

CRLF_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def record(address: str, block: bytes, kind: str = "response") -> bytes:
    media = "application/http;msgtype=response" if kind == "response" else "text/plain"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {address}\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
        f"Content-Type: {media}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def test_wget_puts_addresses_in_brackets_and_keeps_notes_of_its_own(tmp_path: Path) -> None:
    page = html("Bread").replace(b"</article>", b'<p>See <a href="/b">the next one</a>.</p>')
    source = tmp_path / "wget.warc"
    source.write_bytes(
        record("<https://example.com/a>", CRLF_HEAD + page)
        + record("<metadata://gnu.org/software/wget/warc/wget.log>", b"log", "resource")
        + record("<https://example.com/notes.txt>", b"Some words about wine.", "resource")
    )

    run(tmp_path / "out", source)
    made = rows(tmp_path / "out")

    assert [(row["url"], row["final_url"], row["error"]) for row in made] == [
        ("https://example.com/a", "https://example.com/a", None),
        ("https://example.com/notes.txt", "https://example.com/notes.txt", None),
    ]
    assert "(https://example.com/b)" in str(made[0]["content"])


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("dns:example.com", "response"),
        ("dns:example.com", "resource"),
        ("urn:pageinfo:https://example.com/a", "resource"),
        ("urn:fullPage:https://example.com/a", "resource"),
    ],
)
def test_metadata_records_of_a_crawler_are_no_pages(
    address: str, kind: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.warc"
    source.write_bytes(
        record(address, b"{}", kind) + record("https://example.com/a", CRLF_HEAD + html("Bread"))
    )

    run(tmp_path / "out", source)

    assert [row["url"] for row in rows(tmp_path / "out")] == ["https://example.com/a"]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n" + html("Bread"), ("Bread", 200, None)),
        (b"HTTP/2 200\r\ncontent-type: text/html\r\n\r\n" + html("Bread"), ("Bread", 200, None)),
        (html("Bread"), (None, None, "source_unreadable")),
        (b"", (None, None, "source_unreadable")),
    ],
    ids=["line-feeds", "http-2", "no-head", "nothing"],
)
def test_an_answer_is_read_however_its_head_is_written(
    block: bytes, expected: tuple[str | None, int | None, str | None], tmp_path: Path
) -> None:
    source = tmp_path / "a.warc"
    source.write_bytes(record("https://example.com/a", block))

    run(tmp_path / "out", source)
    made = rows(tmp_path / "out")

    assert [(row["title"], row["status"], row["error"]) for row in made] == [expected]


def test_a_page_of_which_only_the_beginning_was_kept_says_so(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    mark = b"WARC-Truncated: length\r\nContent-Length:"
    whole = record("https://a.example/", CRLF_HEAD + html("Bread"))
    source.write_bytes(whole.replace(b"Content-Length:", mark, 1) + whole)
    run(tmp_path / "out", source, where="truncated is None").unwrap()

    read = rows(tmp_path / "out")
    assert [json.loads(str(row["metadata"])).get("truncated") for row in read] == ["length", None]
    assert [row["kept"] for row in read] == [False, True]


def test_pages_that_are_told_of_and_not_kept_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    again = record("https://a.example/", CRLF_HEAD, "revisit")
    source.write_bytes(
        record("https://a.example/", CRLF_HEAD + html("Bread"))
        + again * 2
        + record("https://a.example/", b"Bread", "conversion")
        + record("https://a.example/", b"via: nobody", "metadata")
        # As we ask about the pages of an earlier run.
        + again.replace(b"\r\nContent-Length:", b"\r\nWebseam-Hop: 1\r\nContent-Length:")
    )
    end = run(tmp_path / "out", source).unwrap()

    assert (end.plan.rows, end.plan.left_out) == (1, {"conversion": 1, "revisit": 2})
    assert left_out_lines(end.plan) == [
        "1 record left out: texts made from pages, which are read from responses",
        "2 records left out: they repeat an earlier record, whose text is read if it is among the inputs",
    ]


def test_an_answer_without_a_type_is_known_by_its_address_in_any_case(tmp_path: Path) -> None:
    source = tmp_path / "pages.warc"
    whole = record("HTTPS://example.com/a", CRLF_HEAD + html("Bread"))
    source.write_bytes(whole.replace(b"Content-Type: application/http;msgtype=response\r\n", b""))
    run(tmp_path / "out", source).unwrap()

    assert [(row["title"], row["status"]) for row in rows(tmp_path / "out")] == [("Bread", 200)]
