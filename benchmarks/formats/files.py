"""Write the documents in every format: the office ones by LibreOffice, the others by hand."""

import csv
import io
import json
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from html import escape
from pathlib import Path

from .flat import presentation, spreadsheet, text_document
from .material import Block, Document, Heading, Items, Paragraph, Table

_TEXTS = ("pdf", "docx", "doc", "odt", "rtf")
_SHEETS = ("xlsx", "xls", "ods")
_SLIDES = ("pptx", "ppt", "odp")


def write_files(documents: tuple[Document, ...], folder: Path) -> None:
    """Write every document in every format that it makes sense in; ``soffice`` has to be there."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch)
        for document in documents:
            _write_by_hand(document, folder)
            (sources / f"{document.name}.fodt").write_text(text_document(document))
            (sources / f"{document.name}.fodp").write_text(presentation(document))
            if document.said("row"):
                (sources / f"{document.name}.fods").write_text(spreadsheet(document))
        for ending, formats in (("fodt", _TEXTS), ("fods", _SHEETS), ("fodp", _SLIDES)):
            for name in formats:
                _convert(sorted(sources.glob(f"*.{ending}")), name, folder)


def _convert(sources: list[Path], name: str, folder: Path) -> None:
    command = ["soffice", "--headless", "--convert-to", name, "--outdir", str(folder)]
    subprocess.run([*command, *map(str, sources)], check=True, capture_output=True)


def _write_by_hand(document: Document, folder: Path) -> None:
    html = "".join(_html(document.blocks))
    page = f"<!doctype html><title>{document.name}</title><main>{html}</main>"
    (folder / f"{document.name}.html").write_text(page)
    (folder / f"{document.name}.eml").write_bytes(_mail(document, page))
    (folder / f"{document.name}.ipynb").write_text(_notebook(document))
    (folder / f"{document.name}.rss").write_text(_feed(document, html))
    _write_book(html, folder / f"{document.name}.epub")
    rows = [row for block in document.blocks if isinstance(block, Table) for row in block.rows]
    if rows:
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        (folder / f"{document.name}.csv").write_text(text.getvalue())


def _html(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, text):
                yield f"<h{level}>{escape(text)}</h{level}>"
            case Paragraph(text, link, note):
                link_text = f' <a href="{link[1]}">{escape(link[0])}</a>' if link else ""
                yield f"<p>{escape(text)}{link_text} {escape(note)}</p>"
            case Items(items, numbered):
                yield _html_items(items, "ol" if numbered else "ul")
            case Table(rows):
                yield f"<table>{''.join(_html_row(row) for row in rows)}</table>"


def _html_items(items: tuple[str | tuple[str, ...], ...], tag: str) -> str:
    parts: list[str] = []
    for item in items:
        if isinstance(item, str):
            parts.append(f"<li>{escape(item)}</li>")
        else:
            parts[-1] = f"{parts[-1].removesuffix('</li>')}{_html_items(item, tag)}</li>"
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _html_row(row: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"


def _write_book(html: str, path: Path) -> None:
    """Write a book of one chapter; LibreOffice's would have no headings."""
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile'
            ' full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        book.writestr(
            "book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata'
            ' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Tides</dc:title></metadata>'
            '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
        )
        book.writestr(
            "a.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{html}</body></html>'
        )


def _mail(document: Document, page: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ann <ann@example.org>", "Bob <bob@example.org>"
    mail["Subject"], mail["Date"] = document.name, "Mon, 16 Nov 2026 04:00:00 +0000"
    mail.set_content(page, subtype="html")
    return mail.as_bytes()


def _notebook(document: Document) -> str:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": [_markdown(block)]}
        for block in document.blocks
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _markdown(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {text}"
        case Paragraph(text, link, note):
            return f"{text} {f'[{link[0]}]({link[1]})' if link else ''} {note}"
        case Items(items):
            return "\n".join(
                f"- {item}" if isinstance(item, str) else "\n".join(f"  - {one}" for one in item)
                for item in items
            )
        case Table(rows):
            lines = [f"| {' | '.join(row)} |" for row in rows]
            return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _feed(document: Document, html: str) -> str:
    return (
        '<?xml version="1.0"?><rss version="2.0"><channel><title>All</title>'
        "<link>https://example.org/</link><description>Of it</description><item>"
        f"<title>{document.name}</title><link>https://example.org/1</link>"
        f"<description>{escape(html)}</description></item></channel></rss>"
    )
