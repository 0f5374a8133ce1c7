"""A damaged record of a WARC file breaks its own row alone, wherever it was cut or changed."""

import io
from collections.abc import Callable

import pytest

from tests.features.bulk.samples import packed, record
from webseam.adapters.features.bulk.datasets.warc import read_warc_stream_inputs

Damage = Callable[[bytes, int], bytes]
DAMAGES: dict[str, Damage] = {
    "cut": lambda content, at: content[:at],
    "changed": lambda content, at: content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :],
    "removed": lambda content, at: content[:at] + content[at + 5 :],
    "added": lambda content, at: content[:at] + b"XXXXX" + content[at:],
    "blank": lambda content, at: (
        content[:at] + bytes(len(content[at : at + 20])) + content[at + 20 :]
    ),
}


def _good_bodies(content: bytes) -> dict[str, bytes]:
    items = read_warc_stream_inputs(io.BytesIO(content), 0, "")
    return {item.url or "": item.body for item in items if item.error is None}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("make", [record, packed])
def test_damage_loses_no_other_record(make: Callable[[int], bytes], damage: Damage) -> None:
    records = [make(number) for number in range(4)]
    whole = _good_bodies(b"".join(records))
    others = {url: body for url, body in whole.items() if not url.endswith("/1")}

    for at in range(1, len(records[1]), 13):
        damaged = [records[0], damage(records[1], at), *records[2:]]
        read = _good_bodies(b"".join(damaged))

        assert {url: read.get(url) for url in others} == others, at


def test_head_that_was_cut_off_does_not_take_the_page_of_the_next_record() -> None:
    first, second = record(1), record(2)
    whole = _good_bodies(second)

    for at in range(1, first.index(b"\r\n\r\n") + 4):
        read = _good_bodies(first[:at] + second + record(3))

        assert read.get("https://example.com/2") == whole["https://example.com/2"], at
        assert "https://example.com/1" not in read, at
