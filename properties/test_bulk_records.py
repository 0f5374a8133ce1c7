"""WARC files, whole and damaged: the same inputs are read wherever shards begin."""

import gzip
import tempfile
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path

from hypothesis import given, strategies as st

from tests.features.bulk.samples import record
from webseam.adapters.features.bulk.datasets import warc
from webseam.kernel.features.bulk.cuts import split_into_shards

Damage = Callable[[bytes], bytes]


def _without_cr(content: bytes) -> bytes:
    head, _, block = content.partition(b"\r\n\r\n")
    return head.replace(b"\r\n", b"\n") + b"\n\n" + block


def _whole(content: bytes) -> bytes:
    return content


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


bodies = st.sampled_from([None, b"", record(9), b"word " * 2000, b"\r\n\r\nWARC/1.1\r\n"])
lengths = st.sampled_from([None, None, None, 0, 5, 45, 354, 10**6, 10**12])
ends = st.sampled_from([b"", b"", b"\0" * 9, _packed(b""), b"garbage"])
records = st.builds(
    lambda body, length, change, pack, end: pack(change(record(1, body, length=length))) + end,
    bodies,
    lengths,
    st.sampled_from([_whole, _whole, _without_cr]),
    st.sampled_from([_whole, _packed]),
    ends,
)


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    """Draw something that happens to a file."""
    place, size = draw(st.floats(0, 1)), draw(st.integers(0, 60))
    put = draw(
        st.sampled_from([b"", b"garbage", b"\n", b"WARC/1.0\r\n", b"\x1f\x8b\x08", _packed(b"")])
    )

    def damage(content: bytes) -> bytes:
        at = int(place * len(content))
        return content[:at] + put + content[at + size :]

    return damage


@given(st.lists(records, max_size=5), st.lists(damages(), max_size=2), st.integers(1, 3))
def test_shards_of_any_size_have_the_same_inputs_as_many_as_were_planned(
    pieces: list[bytes], damage: list[Damage], size: int
) -> None:
    content = b"".join(pieces)
    for change in damage:
        content = change(content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.warc"
        path.write_bytes(content)
        offsets = list(warc.warc_input_offsets(path))
        cuts = list(split_into_shards(offsets, size))

        whole = list(warc.read_warc_inputs(path, 0, ""))
        assert [item.offset for item in whole] == offsets
        if all(warc.can_begin_warc_at(path, offset) for offset, _ in cuts):
            parts = (
                islice(warc.read_warc_inputs(path, offset, ""), count) for offset, count in cuts
            )
            assert list(chain.from_iterable(parts)) == whole
