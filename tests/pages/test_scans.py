"""A PDF of pictures is read page by page, by a vision model or by tesseract."""

import asyncio
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

from tests.features.documents.build import pdf
from webseam.adapters.features.documents.formats.pdf.page_pictures import draw_pdf_page
from webseam.adapters.pages import scans
from webseam.adapters.pages.pictures import PictureConverter
from webseam.adapters.pages.workers.pool import Workers
from webseam.ports.errors import BudgetExceeded, EmptyContent, ParseFailed, WebError
from webseam.ports.pages import ReadPage

SCAN = pdf(["", "", ""])


def read(body: bytes, describe: object = None) -> Result[ReadPage, WebError]:
    async def work() -> Result[ReadPage, WebError]:
        converter = PictureConverter(Workers(1), describe)  # type: ignore[arg-type]  # below
        try:
            return await converter.convert(body, "application/pdf", "https://e.org/a.pdf")
        finally:
            await converter.aclose()

    return asyncio.run(work())


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Install a tesseract that runs a line of shell."""

    def install(line: str) -> None:
        path = tmp_path / "tesseract"
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o700)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    monkeypatch.setenv("PATH", os.defpath)
    return install


def test_a_model_reads_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    pictures: list[bytes] = []

    async def describe(picture: bytes, kind: str) -> Result[str, WebError]:
        pictures.append(picture)
        return Success(f"Text {len(pictures)} of {kind}" if len(pictures) != 2 else " ")

    page = read(SCAN, describe).unwrap()

    assert page.content == "## Page 1\n\nText 1 of image/png\n\n## Page 3\n\nText 3 of image/png"
    assert page.complete
    width, height = struct.unpack(">II", pictures[0][16:24])
    assert (width, height) == (1546, 2000)
    assert len(zlib.decompress(pictures[0][41:-16])) == height * (width + 1)


def test_pages_after_a_spent_budget_are_told() -> None:
    count = 0

    async def describe(_picture: bytes, _kind: str) -> Result[str, WebError]:
        nonlocal count
        count += 1
        spent = BudgetExceeded(
            budget="day", cap=1.0, remaining=0.0, price=0.1, setting="budgets.day"
        )
        return Success("Text") if count < 2 else Failure(spent)

    page = read(SCAN, describe).unwrap()

    assert (page.content, page.complete) == ("## Page 1\n\nText", False)
    assert page.notes[1] == "pages that were not read: 2 to 3 (budget_exceeded)"


def test_a_long_scan_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "_MAX_SCAN_PAGES", 2)

    async def describe(_picture: bytes, _kind: str) -> Result[str, WebError]:
        return Success("Text")

    page = read(SCAN, describe).unwrap()

    assert page.notes[1:] == ("pages that were not read: 3 to 3",)
    assert not page.complete


def test_tesseract_reads_where_no_model_is_set(program: Callable[[str], None]) -> None:
    program("wc -c >/dev/null; echo Words; ulimit -v; env | grep -c HOME || true")

    page = read(SCAN).unwrap()

    assert page.content.startswith("## Page 1\n\nWords\n2000000\n0\n\n## Page 2")
    assert page.notes == ("tesseract read the pictures of 3 pages",)


def test_a_tesseract_that_fails_or_hangs_is_an_error(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    program("exit 3")
    assert read(SCAN).failure() == ParseFailed(reason="crashed", detail="tesseract failed")

    monkeypatch.setattr(scans, "_TESSERACT_SECONDS", 0)
    program("exec sleep 600")
    assert read(SCAN).failure() == ParseFailed(reason="out_of_time")


def test_without_both_the_error_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    error = read(SCAN).failure()

    assert error == EmptyContent(reason="scan")
    for reader in ("terminal", "python", "http", "mcp"):
        remedy = error.remedy_for(reader)
        assert "vision.provider" in remedy, reader
        assert "tesseract" in remedy, reader


def test_a_pdf_with_text_asks_nobody() -> None:
    assert read(pdf(["Hello"])).unwrap().content == "## Page 1\n\nHello"


@pytest.mark.parametrize(("body", "number"), [(b"<html>", "1"), (SCAN, "9"), (SCAN, "text/html")])
def test_page_that_cannot_be_drawn_is_an_error(body: bytes, number: str) -> None:
    assert isinstance(draw_pdf_page(body, number, "").failure(), ParseFailed)


def test_a_picture_without_words_is_no_text(program: Callable[[str], None]) -> None:
    program("cat >/dev/null")

    assert read(SCAN).failure() == EmptyContent(reason="no_text")
