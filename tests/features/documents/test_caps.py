"""Each cap of files is met by a file, and named by its page."""

import ast
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.features.documents.build import core, docx, paragraph, pdf, pptx, shape, xlsx, zipped
from tests.features.documents.containers import epub
from tests.features.documents.pdf_files import TABLE, paper
from tests.features.documents.read import page
from webseam.adapters.features.documents import formats
from webseam.adapters.features.documents.formats import feeds, rtf
from webseam.adapters.features.documents.formats.caps import CAPS
from webseam.ports.pages import MAX_PARTS_CHARS

ITEM = "<item><title>x</title><description>{}</description></item>"
FEED = "<?xml version='1.0'?><rss version='2.0'><channel><title>t</title>{}</channel></rss>"
ENCRYPTED = '<encryption><CipherReference URI="OPS/text/c%201.xhtml"/></encryption>'
CELL = '<row><c t="inlineStr"><is><t>{}</t></is></c></row>'
MESSAGE = "From a@e.org Mon Mar  4 10:00:00 2024\nSubject: x\n\nhello\n\n"


def notebook() -> str:
    cell = {"cell_type": "code", "source": "x", "outputs": [{"text": "word " * 1_001}]}
    return json.dumps({"cells": [cell], "nbformat": 4, "metadata": {}})


def nested_mail(depth: int) -> str:
    message = "Subject: inner\n\nhello\n"
    for _ in range(depth):
        message = f"Subject: outer\nContent-Type: message/rfc822\n\n{message}"
    return message


FILES: dict[str, tuple[str, Callable[[], bytes | str]]] = {
    "cells": ("", lambda: xlsx({"A": CELL.format("word " * 27_000)})),
    "chapters": (
        "",
        lambda: epub(["<p>x", "<p>y"], parts={"META-INF/encryption.xml": ENCRYPTED}),
    ),
    "characters": ("text/plain", lambda: "word " * 800_001),
    "columns": ("text/csv", lambda: "a,b\n" * 40 + "a," * 300),
    "damaged": ("", lambda: docx(paragraph("words"), core("<b>"))),
    "depth": ("message/rfc822", lambda: nested_mail(4)),
    "entries": ("", lambda: FEED.format(ITEM.format("y") * 501)),
    "letters": ("", lambda: paper(f"<< /Type /Encoding {TABLE.replace('f_f', 'odd')} >>")),
    "messages": ("application/mbox", lambda: MESSAGE * 1_001),
    "names": ("", lambda: zipped({str(number): "" for number in range(2_001)})),
    "outputs": ("application/x-ipynb+json", notebook),
    "pages": ("", lambda: pdf(["x"] * 2_001)),
    "rows": ("text/csv", lambda: "a,b\n" * 100_001),
    "sheets": ("", lambda: xlsx({str(number): CELL.format("x") for number in range(51)})),
    "slides": ("", lambda: pptx([shape("x")] * 501)),
    "summaries": ("", lambda: FEED.format(ITEM.format("word " * 201) * 2)),
    "unpacked_bytes": ("", lambda: gzip.compress(b"words " * 6_000_000, 1)),
    "work": ("", lambda: rb"{\rtf1 " + rb"word\par " * 30 + b"}"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_names_the_cap_that_it_met(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "work":
        monkeypatch.setattr(rtf, "MAX_RTF_TOKENS", 10)
    if name == "summaries":
        # The first entry uses up the room for full texts.
        monkeypatch.setattr(feeds, "MAX_FEED_STEPS", 1)
    content_type, make = FILES[name]

    document = page(make(), content_type, "https://e.org/x")

    assert name in document.cuts
    assert document.complete is False
    assert document.notes


def test_every_cap_has_a_file_that_meets_it() -> None:
    assert {*FILES} == {*CAPS}


def test_every_cap_that_a_reader_names_is_in_the_table() -> None:
    named = set()
    for file in Path(formats.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Cut", "add_cut")):
                named |= {
                    text.value
                    for text in ast.walk(node.args[0])
                    if isinstance(text, ast.Constant) and isinstance(text.value, str)
                }

    assert named == {*CAPS}


def test_hidden_text_that_is_too_long_to_keep_is_counted_and_the_page_is_complete() -> None:
    words = MAX_PARTS_CHARS // 5 + 1
    run = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r>".format("word " * words)

    document = page(docx(f"<w:p><w:r><w:t>shown</w:t></w:r>{run}</w:p>"))

    assert document.cuts == ("parts",)
    assert (document.complete, document.parts) == (True, ())
    assert [(entry.kind, entry.words) for entry in document.left_out] == [("hidden", words)]
