"""PowerPoint before 2007, from records made by hand."""

import struct

import pytest

from tests.features.documents.containers import compound
from tests.features.documents.read import error, page
from tests.features.documents.slide_files import (
    BODY,
    SPOKEN,
    TITLE,
    atom,
    deck,
    deck_streams,
    grid,
    picture,
    placed,
    record,
    reference,
    shape,
    slide,
    text,
)
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import ReadPage

URL = "https://e.org/old.ppt"


def test_a_slide_has_its_title_and_its_texts_as_lists() -> None:
    body = deck(
        slide(
            shape(text("first\rdeeper\x0bline\rlast", BODY, [(6, 0), (12, 1), (5, 0)])),
            shape(text("Höhe 日本", TITLE)),
        ),
        slide(shape(text("only a box"))),
    )

    assert page(body, "", URL) == ReadPage(
        title="Höhe 日本",
        content="## Slide 1: Höhe 日本\n\n- first\n  - deeper line\n- last\n\n## Slide 2\n\n- only a box",
        kind="ppt",
    )


def test_a_shape_may_show_a_text_of_the_list_of_slides() -> None:
    outline = {0: text("Tides", TITLE) + text("rise", BODY) + text("shown nowhere", BODY)}
    streams = deck_streams([slide(reference(1), reference(0), reference(9))], outline=outline)

    content = page(compound(streams), "", URL).content

    assert content == "## Slide 1: Tides\n\n- shown nowhere\n\n- rise"


def test_tables_groups_and_pictures_are_read() -> None:
    cells = [placed("c", 0, 5), placed("b", 9, 0), placed("a", 0, 0)]
    body = deck(slide(grid(*cells), record(0xF003, shape(text("inside"))), picture("a grey dot")))

    assert page(body, "", URL).content == (
        "## Slide 1\n\n| a | b |\n| --- | --- |\n| c |  |\n\n- inside\n\n[IMAGE: a grey dot]"
    )


def test_notes_and_footers_and_hidden_slides_are_told() -> None:
    mark = record(0xF011, atom(0xBC3, struct.pack("<IB3x", 0, 9)))
    streams = deck_streams(
        [
            slide(shape(text("shown")), shape(text("*"), mark), notes=258),
            slide(shape(text("unseen")), hidden=True),
        ],
        notes=[slide(shape(text("Slowly", SPOKEN)), shape(text("Page")), sort=0x3F0)],
        footer="The  footer",
    )

    document = page(compound(streams), "", URL)

    assert document.content == (
        "## Slide 1\n\n- shown\n\nNotes: Slowly\n\n## Slide 2 (hidden)\n\n- unseen\n\nFooter: The footer"
    )
    assert document.notes == ("hidden slides: 1 (2)",)


def test_last_saved_slide_counts() -> None:
    streams = deck_streams([slide(shape(text("old")))])
    stream = streams["PowerPoint Document"]
    new = slide(shape(text("new")))
    (edit,) = struct.unpack_from("<I", streams["Current User"], 16)
    changed = stream + new + atom(0x1772, struct.pack("<II", 1 << 20 | 2, len(stream)))
    directory = len(stream) + len(new)
    last = atom(0xFF5, struct.pack("<IIIIIII", 0, 0, edit, directory, 1, 9, 0))
    current = atom(0xFF6, struct.pack("<III", 20, 0xE391C05F, len(changed)) + b"\0" * 12)

    body = compound({"PowerPoint Document": changed + last, "Current User": current.ljust(4096)})

    assert page(body, "", URL).content == "## Slide 1\n\n- new"


def test_slides_are_found_where_nothing_says_which_of_them_count() -> None:
    streams = deck_streams([slide(shape(text("found")))])

    assert page(compound(streams | {"Current User": b"\0" * 4096}), "", URL).content == (
        "## Slide 1\n\n- found"
    )


def test_of_two_presentations_for_two_programs_the_newer_is_read() -> None:
    newer = deck_streams([slide(shape(text("new")))])
    both = {f"PP97_DUALSTORAGE/{name}": content for name, content in newer.items()}

    assert page(compound({"PowerPoint Document": b"old" * 2000} | both), "", URL).content == (
        "## Slide 1\n\n- new"
    )


@pytest.mark.parametrize(
    ("token", "edit"), [(0xF3D1C4DF, b""), (0xE391C05F, b"\0" * 32)], ids=["by mark", "by edit"]
)
def test_a_presentation_that_wants_a_password_says_so(token: int, edit: bytes) -> None:
    stream = (b"\0" * 8 + atom(0xFF5, edit)).ljust(4096, b"\0")
    current = atom(0xFF6, struct.pack("<III", 20, token, 8)).ljust(4096)

    body = compound({"PowerPoint Document": stream, "Current User": current})

    assert error(body, "", URL) == ParseFailed(reason="encrypted")


def test_a_presentation_without_slides_is_empty() -> None:
    assert error(deck(), "", URL) == EmptyContent(reason="no_text")


def test_a_presentation_of_an_older_program_is_none() -> None:
    assert error(compound({"PowerPoint Document": b"old" * 2000}), "", URL) == ParseFailed(
        reason="corrupt", detail="it is not a whole file of PowerPoint 97 or later"
    )


def test_a_list_that_names_a_slide_by_half_is_corrupt() -> None:
    document = record(0x3E8, record(0xFF0, atom(0x3F3, b"\0")))
    directory = atom(0x1772, struct.pack("<II", 1 << 20 | 1, 0))
    edit = atom(0xFF5, struct.pack("<IIIIIII", 0, 0, 0, len(document), 1, 9, 0))
    place = len(document) + len(directory)
    current = atom(0xFF6, struct.pack("<III", 20, 0xE391C05F, place)).ljust(4096)
    stream = (document + directory + edit).ljust(4096, b"\0")

    body = compound({"PowerPoint Document": stream, "Current User": current})

    assert error(body, "", URL) == ParseFailed(
        reason="corrupt", detail="it is not a whole file of PowerPoint 97 or later"
    )


def test_a_slide_that_is_listed_again_and_again_costs_a_bounded_time() -> None:
    streams = deck_streams([slide(*[shape(text("x"))] * 2000)])
    stream = streams["PowerPoint Document"]
    one = atom(0x3F3, struct.pack("<IIiII", 2, 0, 0, 256, 0))
    document = record(0x3E8, record(0xFF0, one * 400))
    (start,) = struct.unpack_from("<I", stream, stream.index(struct.pack("<HI", 0x1772, 12)) + 14)
    directory = atom(0x1772, struct.pack("<III", 2 << 20 | 1, len(stream), start))
    where = len(stream) + len(document)
    edit = atom(0xFF5, struct.pack("<IIIIIII", 0, 0, 0, where, 1, 9, 0))
    current = atom(0xFF6, struct.pack("<III", 20, 0xE391C05F, where + len(directory)))
    whole = stream + document + directory + edit

    document_read = page(
        compound({"PowerPoint Document": whole, "Current User": current.ljust(4096)}), "", URL
    )

    assert "only the first slides: it is too large" in document_read.notes
