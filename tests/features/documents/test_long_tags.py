"""A tag that goes on over many pieces of a part is read in time."""

from xml.parsers import expat

import pytest

from webseam.adapters.features.documents.formats.office import xml_elements


def document(length: int) -> bytes:
    return b'<d><p about="' + b"x" * length + b'">Tides</p>' + b"<p>ebb</p>" * 500 + b"</d>"


def cut(whole: bytes, size: int) -> list[bytes]:
    return [whole[at : at + size] for at in range(0, len(whole), size)]


@pytest.mark.parametrize(("length", "size"), [(10, 1), (5000, 7), (100_000, 1000)])
def test_pieces_of_any_size_give_the_same_elements(length: int, size: int) -> None:
    words = [
        node.inner_text()
        for node in xml_elements.parse_xml_elements(cut(document(length), size), "p")
    ]

    assert words == ["Tides", *["ebb"] * 500]


def test_a_tag_that_is_not_whole_is_not_begun_anew_with_each_piece(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fed: list[bytes] = []
    feed = xml_elements.feed_xml_parser

    def noted(parser: expat.XMLParserType, chunk: bytes, *, last: bool = False) -> None:
        fed.append(chunk)
        feed(parser, chunk, last=last)

    monkeypatch.setattr(xml_elements, "feed_xml_parser", noted)
    whole = document(100_000)

    assert len(list(xml_elements.parse_xml_elements(cut(whole, 1000), "p"))) == 501
    assert b"".join(fed) == whole
    assert len(fed) < 20
