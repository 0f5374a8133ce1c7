"""What reviewers wrote in files of Word and Excel before 2007, of binary Excel and OpenDocument."""

import struct
from collections.abc import Sequence
from itertools import accumulate

from tests.features.documents import binary_workbooks as binary
from tests.features.documents.build import relations
from tests.features.documents.containers import compound, open_document
from tests.features.documents.read import page
from tests.features.documents.word_files import PLAIN, word_streams
from tests.features.documents.workbooks import excel_95, place, record, text, workbook


def annotation(author: str, *paragraphs: str) -> str:
    said = "".join(f"<text:p>{one}</text:p>" for one in paragraphs)
    return f'<office:annotation><dc:creator xmlns:dc="dc">{author}</dc:creator>{said}</office:annotation>'


def test_comments_on_cells_of_opendocument_follow_their_sheet() -> None:
    rows = (
        "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
        '<table:table-cell table:number-columns-repeated="26"/><table:table-cell>'
        f"{annotation('Ann', 'Which?', 'When?')}<text:p>y</text:p></table:table-cell></table:table-row>"
        '<table:table-row table:number-rows-repeated="9"><table:table-cell/></table:table-row>'
        f"<table:table-row><table:table-cell>{annotation('', 'Why?')}</table:table-cell>"
        f"<table:table-cell>{annotation('Bo', ' ')}</table:table-cell></table:table-row>"
    )
    sheet = '<table:table table:name="{}">{}</table:table>'
    plain = (
        "<table:table-row><table:table-cell><text:p>z</text:p></table:table-cell></table:table-row>"
    )
    body = sheet.format("Plan", rows) + sheet.format("Next", plain)

    content = page(open_document("spreadsheet", body)).content

    assert content.endswith(
        "| --- |\n\nComments:\n\n- Ann on “AB1”: Which? When?\n- on “A11”: Why?\n\n## Next\n\n| z |\n| --- |"
    )


def test_comments_on_slides_of_opendocument_follow_their_slide() -> None:
    slide = (
        '<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Tides</text:p>'
        f"</draw:text-box></draw:frame>{annotation('Ann', 'Which?', 'When?')}"
        "<presentation:notes><draw:frame><draw:text-box><text:p>Say it.</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page>"
    )

    assert page(open_document("presentation", slide)).content == (
        "## Slide 1: Tides\n\nNotes: Say it.\n\nComments:\n\n- Ann: Which? When?"
    )


def test_comments_and_notes_in_tables_are_not_words_of_their_cells() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Low.</text:p></text:note-body></text:note>"
    body = (
        "<table:table><table:table-row><table:table-cell>"
        f"<text:p>tide{annotation('Ann', 'Which?')}{note}</text:p></table:table-cell></table:table-row></table:table>"
    )

    assert page(open_document("text", body)).content == (
        "| tide[^1] |\n| --- |\n\n[^1]: Low.\n\n## Comments\n\n- Ann: Which?"
    )


def drawn(number: int, *pieces: bytes, letters: int) -> bytes:
    """A note's box, and its text in the records that continue it."""
    shape = struct.pack("<HHHHH12x", 0x15, 0x12, 0x19, number, 0)
    told = record(0x1B6, struct.pack("<HH6xHH4x", 0x212, 0, letters, 8))
    return record(0x5D, shape) + told + b"".join(record(0x3C, piece) for piece in pieces)


def note(row: int, column: int, number: int, author: str) -> bytes:
    return record(0x1C, struct.pack("<HHHH", row, column, 0, number) + text(author) + b"\0")


CELL = record(0x204, place(0, 0) + text("x"))


def test_comments_on_cells_of_old_excel_follow_their_sheet() -> None:
    boxes = (
        drawn(1, b"\0Ann:\nWh", b"\1" + "ich?".encode("utf-16-le"), b"\0" * 16, letters=11)
        + drawn(2, b"\0" * 3, letters=0)
        + drawn(3, b"\1" + "größer".encode("utf-16-le"), letters=6)
        + drawn(4, b"\0cut", letters=99)
    )
    notes = (
        note(1, 27, 1, "Ann")
        + note(2, 0, 2, "Bo")
        + note(3, 1, 3, "")
        + note(4, 4, 9, "Cy")
        + note(5, 5, 4, "Di")
        + record(0x1C, b"\0")
    )
    content = page(workbook({"Plan": CELL + boxes + notes, "Next": CELL})).content

    assert content == (
        "## Plan\n\n| x |\n| --- |\n\nComments:\n\n- Ann on “AB2”: Which?\n- on “B4”: größer\n\n"
        "## Next\n\n| x |\n| --- |"
    )


def test_an_old_workbook_shows_so_many_comments_and_no_more() -> None:
    boxes = b"".join(drawn(number, b"\0x", letters=1) for number in range(700))
    notes = b"".join(note(number, 0, number, "Ann") for number in range(700))

    content = page(workbook({"A": CELL + boxes + notes, "B": CELL + boxes + notes})).content

    assert content.count("- Ann on") == 500


def test_comments_of_excel_95_are_in_its_code_page() -> None:
    body = excel_95(b"A", b"x", 1251)
    long = struct.pack("<HHH", 4, 2, 5) + "имя".encode("cp1251")
    more = struct.pack("<HHH", 0xFFFF, 0, 2) + "да".encode("cp1251")
    notes = record(0x1C, long) + record(0x1C, more)
    stream = excel_95_with(notes)

    assert "on “" not in page(body).content
    assert page(stream).content.endswith("Comments:\n\n- on “C5”: имяда")


def excel_95_with(notes: bytes) -> bytes:
    head = record(0x809, struct.pack("<HH", 0x500, 5)) + record(0x42, struct.pack("<H", 1251))
    start = len(head) + 4 + 8 + len(record(0x0A))
    sheet = record(0x85, struct.pack("<IBBB", start, 0, 0, 1) + b"A")
    cell = record(0x204, place(0, 0) + struct.pack("<H", 1) + b"x") + notes + record(0x0A)
    return compound({"Book": (head + sheet + record(0x0A) + cell).ljust(4096, b"\0")})


def test_comments_on_cells_of_binary_excel_follow_their_sheet() -> None:
    def said(author: int, row: int, column: int, words: str) -> bytes:
        where = struct.pack("<IIIII16x", author, row, row, column, column)
        return binary.record(635, where) + binary.record(
            637, b"\1" + binary.text(words) + b"\0" * 8
        )

    notes = (
        binary.record(632, binary.text("Ann"))
        + binary.record(632, binary.text("tc={1}"))
        + said(0, 1, 27, "Ann:\nWhich?")
        + said(1, 0, 0, "[Threaded comment]")
        + said(7, 2, 2, "Odd")
        + said(0, 3, 3, "")
    )
    thread = '<ThreadedComments><threadedComment ref="A1" personId="{a}"><text>Why?</text></threadedComment></ThreadedComments>'
    cells = binary.row(0) + binary.cell(6, 0, binary.text("x"))
    links = relations(
        "xl/worksheets/s0.bin",
        {"c": "../comments1.bin", "t": "../threadedComments/threadedComment1.xml"},
    )
    body = binary.xlsb(
        {"Plan": cells, "Next": cells},
        {
            **{name: part.encode() for name, part in links.items()},
            "xl/comments1.bin": notes,
            "xl/threadedComments/threadedComment1.xml": thread.encode(),
            "xl/persons/person.xml": b'<personList><person displayName="Bo" id="{a}"/></personList>',
        },
    )

    assert page(body).content == (
        "## Plan\n\n| x |\n| --- |\n\nComments:\n\n- Ann on “AB2”: Which?\n- on “C3”: Odd\n"
        "- Bo on “A1”: Why?\n\n## Next\n\n| x |\n| --- |"
    )


def commented(
    body: str, comments: Sequence[tuple[int, int, str]], ranges: Sequence[tuple[int, int]] = ()
) -> str:
    """A document of Word; comments have a place, an author's number and a text."""
    ends = [*accumulate((len(said) for _, _, said in comments), initial=0)]
    places = [at for at, _, _ in comments]
    about = b"".join(
        struct.pack("<H18xHHHi", 1, author, 0, 0, number if number < len(ranges) else -1)
        for number, (_, author, _) in enumerate(comments)
    )
    owners = b"".join(
        struct.pack("<H", len(name)) + name.encode("utf-16-le") for name in ("Ann", "Bö")
    )
    tags = b"".join(struct.pack("<HHii", 0, 0x100, number, -1) for number in range(len(ranges)))
    # The ends of ranges are in an order of their own.
    stops = sorted(end for _, end in ranges)
    marks = b"".join(struct.pack("<HH", stops.index(end), 0) for _, end in ranges)
    starts = [begin for begin, _ in ranges]
    tables = {
        4: struct.pack(f"<{len(places) + 1}I", *places, len(body)) + about,
        5: struct.pack(f"<{len(ends) + 1}I", *ends, ends[-1] + 1),
        36: owners,
        37: struct.pack("<HHH", 0xFFFF, len(ranges), 10) + tags,
        42: struct.pack(f"<{len(starts) + 1}I", *starts, len(body)) + marks,
        43: struct.pack(f"<{len(stops) + 1}I", *stops, len(body)),
    }
    said = "".join(text for _, _, text in comments)
    streams = word_streams([(body, PLAIN)], tables=tables, comments=said)
    return page(compound(streams)).content


def test_comments_of_old_word_follow_the_text() -> None:
    body = "The tide rises\x05 twice\x05 a day\x05.\r"

    content = commented(
        body,
        [(14, 0, "\x05Which?\rWhen?\r"), (21, 1, "\x05Why?\r"), (28, 9, "\x05So.\r")],
        [(4, 14), (15, 99999)],
    )

    assert content == (
        "The tide rises twice a day.\n\n## Comments\n\n- Ann on “tide rises”: Which? When?\n"
        "- Bö on “twice a day.”: Why?\n- So."
    )


def test_an_old_document_shows_so_many_comments_and_no_more() -> None:
    content = commented("x\x05.\r", [(1, 0, "\x05y\r")] * 700)

    assert content.count("- Ann: y") == 500
