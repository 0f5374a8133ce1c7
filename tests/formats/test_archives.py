"""Archives: what is in them, by name."""

import pytest

from tests.formats.build import zipped
from tests.formats.containers import tar
from tests.formats.read import error, page
from webseam.ports.errors import EmptyContent, ParseFailed

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
