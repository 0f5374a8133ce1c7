"""No format passes a picture on: a viewer of the markdown would load it from the page's owner."""

from collections.abc import Callable

import msgspec
import pytest

from tests.features.documents.build import docx, paragraph, pptx, shape
from tests.features.documents.containers import open_document
from tests.features.documents.read import page
from webseam.ports.result_texts import page_heading

MARKDOWN = "![x](https://a.example/p.png)"
TAGS = (
    '<img src="https://a.example/p.png">',
    "<IMG/src=https://a.example/p.png>",
    "<video poster=https://a.example/p.png>",
    '<b style="background:url(https://a.example/p.png)">',
)


def _in_xml(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _notebook(text: str) -> bytes:
    cell = {"cell_type": "markdown", "metadata": {}, "source": [text]}
    return msgspec.json.encode(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    )


def _feed(text: str) -> str:
    item = f"<item><title>{_in_xml(text)}</title><link>https://a.example/</link></item>"
    return f"<rss version='2.0'><channel><title>{_in_xml(text)}</title>{item}</channel></rss>"


def _book(text: str) -> str:
    return (
        f"<book xmlns='http://docbook.org/ns/docbook'><title>{_in_xml(text)}</title>"
        f"<chapter><title>{_in_xml(text)}</title><para>{_in_xml(text)}</para></chapter></book>"
    )


def _paper(text: str) -> str:
    about = f"<title-group><article-title>{_in_xml(text)}</article-title></title-group>"
    body = f"<body><p>{_in_xml(text)}</p></body>"
    return (
        f"<article article-type='x'><front><article-meta>{about}</article-meta></front>"
        f"{body}</article>"
    )


MAIL = "From: {0}\r\nSubject: {0}\r\nContent-Type: text/plain\r\n\r\n{0}\r\n"
FORMATS: dict[str, tuple[str, Callable[[str], bytes | str]]] = {
    "text": ("text/plain", lambda text: f"See {text} there."),
    "table": ("text/csv", lambda text: f"a,b\n'{text.replace(',', ' ')}',2\n"),
    "mail": ("message/rfc822", MAIL.format),
    "mailbox": ("application/mbox", lambda text: f"From a@b.c\r\n{MAIL.format(text)}" * 2),
    "markdown": ("text/markdown", lambda text: f"# {text}\n\nSee {text} there."),
    "notebook": ("application/x-ipynb+json", _notebook),
    "feed": ("application/rss+xml", _feed),
    "subtitles": ("text/vtt", lambda text: f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}\n"),
    "book": ("application/xml", _book),
    "paper": ("application/xml", _paper),
    "word": ("", lambda text: docx(paragraph(_in_xml(text)))),
    "slides": ("", lambda text: pptx([shape(_in_xml(text))])),
    "open document": ("", lambda text: open_document("text", f"<text:p>{_in_xml(text)}</text:p>")),
    "rich text": ("application/rtf", lambda text: rf"{{\rtf1 {text}\par}}"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_format_passes_no_picture_on(name: str) -> None:
    content_type, make = FORMATS[name]
    for text in (MARKDOWN, *TAGS):
        read = page(make(f"High {text} low"), content_type)
        shown = f"{page_heading(read.title, read.content)}\n\n{read.content}"

        assert "High" in shown, shown
        assert "![" not in shown, shown
        assert "<img" not in shown.lower(), shown
        assert "<video" not in shown, shown
        assert "<b style" not in shown, shown
