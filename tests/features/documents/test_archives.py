"""Archives: what is in them, by name."""

import bz2
import gzip
import lzma
from collections.abc import Callable

import pytest

from tests.features.documents.build import docx, paragraph, zipped
from tests.features.documents.containers import tar
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent, ParseFailed, UnsupportedContent

LISTED = "2 files, 7 bytes when unpacked.\n\n| file | bytes | changed |\n| --- | --- | --- |\n"


@pytest.mark.parametrize("packer", ["", "gz", "bz2", "xz"])
def test_a_tar_file_is_a_list_of_names_and_sizes(packer: str) -> None:
    document = page(tar({"a/b.txt": b"hello", "c|d": b"12"}, packer), "", "https://e.org/x.tgz")

    assert (document.title, document.content) == (
        "x.tgz",
        f"{LISTED}| a/b.txt | 5 | 2023-11-14 |\n| c\\|d | 2 | 2023-11-14 |",
    )


def test_a_zip_file_is_a_list_of_names_and_sizes() -> None:
    content = page(zipped({"a/": "", "a/b.txt": "hello", "c": "12"})).content

    assert content == f"{LISTED}| a/b.txt | 5 | 1980-01-01 |\n| c | 2 | 1980-01-01 |"


def test_a_tar_file_that_ends_early_tells_what_is_before_the_end() -> None:
    document = page(tar({"a": b"x" * 600, "b": b"y" * 600})[:2300])

    assert document.notes == ("only the first files were looked at",)


def test_a_long_archive_is_cut_and_says_so() -> None:
    document = page(zipped({str(n): "" for n in range(2100)}))

    assert document.notes == ("only the first 2,000 of 2,100 names",)


def test_an_archive_that_is_not_whole_is_corrupt_and_an_empty_one_empty() -> None:
    body = zipped({"a": "x"}).replace(b"PK\x01\x02", b"PK\x01\x03")

    assert error(body) == ParseFailed(reason="corrupt", detail="it is not a whole archive")
    assert error(zipped({})) == EmptyContent(reason="no_text")


def test_a_file_in_a_zip_that_has_no_name_is_listed() -> None:
    assert "|  | 1 |" in page(zipped({"": "x", "a": "y"})).content


def test_a_file_that_was_compressed_alone_is_read() -> None:
    table = gzip.compress(b"a,b\n1,2\n")

    found = page(table, "application/gzip", "https://e.org/x.csv.gz")

    assert (found.kind, found.content) == ("csv", "| a | b |\n| --- | --- |\n| 1 | 2 |")
    assert page(bz2.compress(b"words"), "", "https://e.org/x").content == "words"
    assert page(lzma.compress(docx(paragraph("inside")))).kind == "docx"


def test_of_what_was_compressed_only_so_much_is_unpacked() -> None:
    found = page(gzip.compress(b"words " * 6_000_000), "", "https://e.org/x.txt.gz")

    assert found.notes[-1] == "only the first 33,554,432 bytes of what was compressed"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_truncated_archive_is_read_as_far_as_it_goes(pack: Callable[[bytes], bytes]) -> None:
    words = "".join(f"word {number}\n" for number in range(300_000)).encode()

    found = page(pack(words)[:-200], "", "https://e.org/x.txt.gz")

    assert found.content.startswith("word 0")
    assert found.notes == ("it ends early: what was compressed after that is missing",)


def test_damaged_archive_is_corrupt() -> None:
    whole = bytearray(gzip.compress(b"words " * 30, mtime=0))
    whole[10] = 10

    assert error(bytes(whole)) == ParseFailed(
        reason="corrupt", detail="it is not a whole compressed file"
    )


def test_compressed_content_is_refused_by_its_own_type() -> None:
    assert error(gzip.compress(b"GIF89a")) == UnsupportedContent(content_type="image/gif")
    assert error(gzip.compress(gzip.compress(b"x"))) == ParseFailed(
        reason="too_complex", detail="it is compressed twice"
    )
    assert error(gzip.compress(b"")) == EmptyContent(reason="no_body")
    assert error(b"\x28\xb5\x2f\xfd words") == UnsupportedContent(content_type="application/zstd")


SEVEN_ZIPPED = (
    "2 files, 8 bytes when unpacked.\n\n| file | bytes | changed |\n| --- | --- | --- |\n"
)
FILES = {"a/b.txt": 5, "日本": 3}
