"""Archives: what is in them, by name."""

import bz2
import gzip
import lzma
from collections.abc import Callable

import pytest

from tests.formats.archive_files import new_rar, old_rar, seven_zip
from tests.formats.build import docx, paragraph, zipped
from tests.formats.containers import tar
from tests.formats.read import error, page
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
def test_what_ends_early_is_read_as_far_as_it_goes(pack: Callable[[bytes], bytes]) -> None:
    words = "".join(f"word {number}\n" for number in range(300_000)).encode()

    found = page(pack(words)[:-200], "", "https://e.org/x.txt.gz")

    assert found.content.startswith("word 0")
    assert found.notes == ("it ends early: what was compressed after that is missing",)


def test_what_was_compressed_and_then_damaged_is_corrupt() -> None:
    whole = bytearray(gzip.compress(b"words " * 30, mtime=0))
    whole[10] = 10

    assert error(bytes(whole)) == ParseFailed(
        reason="corrupt", detail="it is not a whole compressed file"
    )


def test_what_was_compressed_is_refused_by_what_it_is() -> None:
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


@pytest.mark.parametrize("packer", ["copy", "lzma", "lzma2", ""])
def test_a_7z_file_is_a_list_of_names_and_sizes(packer: str) -> None:
    found = page(seven_zip(FILES, packer=packer), "", "https://e.org/x.7z")

    assert (found.kind, found.content) == (
        "archive",
        f"{SEVEN_ZIPPED}| a/b.txt | 5 | 2024-12-30 |\n| 日本 | 3 | 2024-12-30 |",
    )


def test_a_7z_file_may_hold_folders_and_empty_files() -> None:
    content = page(seven_zip(FILES | {"folder": None, "empty": 0})).content

    assert "folder" not in content
    assert "| empty | 0 | 2024-12-30 |" in content


def test_a_7z_file_with_encrypted_names_says_so_and_a_broken_one_too() -> None:
    whole = seven_zip(FILES, packer="aes")

    assert error(whole) == ParseFailed(reason="encrypted")
    assert error(whole[:-3]) == ParseFailed(reason="corrupt", detail="it is not a whole archive")
    assert error(seven_zip({}, packer="")) == EmptyContent(reason="no_text")


def test_a_7z_file_whose_list_unpacks_to_too_much_is_not_unpacked() -> None:
    assert error(seven_zip(FILES, packer="lzma", told=1 << 30)) == ParseFailed(
        reason="too_complex", detail="its list of files is too long"
    )


@pytest.mark.parametrize("make", [new_rar, old_rar])
def test_a_rar_file_is_a_list_of_names_and_sizes(make: Callable[..., bytes]) -> None:
    found = page(make(FILES | {"folder": None}), "", "https://e.org/x.rar")

    assert found.content == (
        f"{SEVEN_ZIPPED}| a/b.txt | 5 | 2024-12-30 |\n| 日本 | 3 | 2024-12-30 |"
    )


def test_a_rar_file_with_encrypted_names_says_so_and_a_broken_one_tells_what_it_can() -> None:
    assert error(new_rar({}, locked=True)) == ParseFailed(reason="encrypted")
    assert error(old_rar({}, locked=True)) == ParseFailed(reason="encrypted")
    assert error(b"Rar!\x1a\x07\x05") == ParseFailed(
        reason="corrupt", detail="it is not a whole archive"
    )
    assert page(new_rar(FILES)[:-22]).notes == ("only the first files were looked at",)


def test_the_names_of_older_rar_files_may_be_packed() -> None:
    # A letter of the page of kana, one with its own page, two plain ones, two moved up by one.
    packed = b"\x30" + bytes([0b01_10_11_11]) + b"\x42" + b"\xe5\x65" + b"\x00" + b"\x80\x01"

    content = page(old_rar({"": 1}, raw_name=b"??ab@A\0" + packed)).content

    assert "| \u3042\u65e5ab\u3041\u3042 | 1 |" in content
