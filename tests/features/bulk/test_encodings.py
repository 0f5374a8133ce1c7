"""Bodies in WARC files, packed in every way that servers and writers know."""

import gzip
import zlib
from base64 import b85decode
from pathlib import Path

import pyarrow as pa
import pytest

from tests.features.bulk.samples import html, record, rows, run
from webseam.adapters.features.bulk.datasets import warc
from webseam.adapters.features.bulk.datasets.body_decoding import decode_warc_body

PAGE = html("Tides")
LIMIT = 100_000


def bare(body: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(body) + stream.flush()


def by_arrow(body: bytes, codec: str) -> bytes:
    packed: bytes = pa.Codec(codec).compress(body).to_pybytes()
    return packed


def chunks(body: bytes) -> bytes:
    pieces = [body[place : place + 100] for place in range(0, len(body), 100)]
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


ZSTD, BROTLI = by_arrow(PAGE, "zstd"), by_arrow(PAGE, "brotli")
ZIPPED = gzip.compress(PAGE)


@pytest.mark.parametrize(
    ("transfer", "codings", "body"),
    [
        ("", "", PAGE),
        ("", "identity", PAGE),
        ("", "gzip", ZIPPED),
        ("", "X-GZip", ZIPPED),
        ("", "gzip", gzip.compress(PAGE[:99]) + gzip.compress(PAGE[99:])),
        ("", "deflate", zlib.compress(PAGE)),
        ("", "deflate", bare(PAGE)),
        ("", "br", BROTLI),
        ("", "zstd", ZSTD),
        ("", "gzip, br", by_arrow(ZIPPED, "brotli")),
        ("chunked", "", chunks(PAGE)),
        ("chunked", "gzip", chunks(ZIPPED)),
        # Undone by whoever wrote the file, who left the headers.
        ("chunked", "", PAGE),
        ("chunked", "gzip", PAGE),
        ("chunked", "gzip", ZIPPED),
        ("", "br", PAGE),
        ("", "utf-8", PAGE),
    ],
)
def test_a_body_is_undone_once(transfer: str, codings: str, body: bytes) -> None:
    assert decode_warc_body(body, transfer, codings, LIMIT).unwrap() == PAGE


@pytest.mark.parametrize(
    ("transfer", "codings", "body", "kind"),
    [
        ("", "gzip", ZIPPED[:-30], "bad_encoding"),
        ("", "gzip", b"zzzz", "bad_encoding"),
        ("", "deflate", zlib.compress(PAGE)[:-30], "bad_encoding"),
        ("", "deflate", b"zzzz", "bad_encoding"),
        ("", "br", BROTLI[:-30], "bad_encoding"),
        ("", "zstd", ZSTD[:-30], "bad_encoding"),
        ("", "zstd", b"zzzz", "bad_encoding"),
        ("", "compress", b"\x1f\x9d", "bad_encoding"),
        ("chunked", "", chunks(PAGE)[:-20], "bad_encoding"),
        ("chunked", "", chunks(PAGE)[:-5], "bad_encoding"),
        ("", "", b"x" * (LIMIT + 1), "response_too_large"),
        ("", "gzip", gzip.compress(bytes(LIMIT + 1)), "response_too_large"),
        ("", "deflate", bare(bytes(LIMIT + 1)), "response_too_large"),
        ("", "br", by_arrow(bytes(LIMIT + 1), "brotli"), "response_too_large"),
    ],
)
def test_damaged_or_large_warc_body_is_an_error(
    transfer: str, codings: str, body: bytes, kind: str
) -> None:
    assert decode_warc_body(body, transfer, codings, LIMIT).failure().kind == kind


def test_an_empty_body_is_empty() -> None:
    assert decode_warc_body(b"", "", "gzip", LIMIT).unwrap() == b""


def test_a_damaged_body_costs_its_own_row_alone(tmp_path: Path) -> None:
    path = tmp_path / "pages.warc"
    damaged = record(1, ZIPPED[:-30]).replace(
        b"text/html\r\n", b"text/html\r\nContent-Encoding: gzip\r\n"
    )
    length = len(ZIPPED[:-30]) + damaged.index(ZIPPED[:20]) - damaged.index(b"HTTP/1.1")
    head, _, rest = damaged.partition(b"HTTP/1.1")
    head = head[: head.index(b"Content-Length")] + b"Content-Length: %d\r\n\r\n" % length
    path.write_bytes(head + b"HTTP/1.1" + rest + record(2))

    items = list(warc.read_warc_inputs(path, 0, "pages.warc"))

    assert [item.error.kind if item.error else None for item in items] == ["bad_encoding", None]


@pytest.mark.parametrize("in_one_piece", [False, True])
def test_files_packed_with_zstd_are_read(in_one_piece: bool, tmp_path: Path) -> None:  # noqa: FBT001  a case
    path = tmp_path / "pages.warc.zst"
    records = [record(number) for number in range(3)]
    pieces = [b"".join(records)] if in_one_piece else records
    path.write_bytes(b"".join(by_arrow(piece, "zstd") for piece in pieces))

    offsets = list(warc.warc_input_offsets(path))

    assert [item.url for item in warc.read_warc_inputs(path, 0, "x")] == [
        f"https://example.com/{number}" for number in range(3)
    ]
    assert all(warc.can_begin_warc_at(path, offset) for offset in offsets) is not in_one_piece


# Three records of ours, packed with a dictionary that stands before them.
WITH_DICTIONARY = b85decode(
    "T`El&RsjG2D77#BV2}W13ILYUMl3*i1G;G`9?C28EEGGm9FS>Ail=tH6k!f)J1w`5@_WTB^rzCElP4xFjHEsQIsi"
    "HVd%O1D#>Gx75F6sy3e~m;dn2U0p<?e1AU#qsiP&t=!IRS<JR+xx-6M&r;ED#eXaFch%mhP@3OJMnUIH2Q;A<N8#"
    "@y9qFB9%tJ@iWC)%<1MeQPmH<-T$E^6I|c_2<93d+);D8?c|hTQ3LifKQ+!EH|1RuFm2y-FfZnS;qhBQdswOU9T^"
    "%pXNVreXIsUJRr`p6E2BJ)({MH)Ps7kSSq}ge~b1X$fy0MVF44~`rkE@PV?*9*0KL(-gZVM$oDN-kJVn58DUInJb"
    "#!+e%)a!?&Z&a=d~X5&i!hheO|i)5&(tDjWa;%4dP}zTmaY@VXy)4Fvt=NQvrObL5B%HIq?`AFd#c9(1rU3fC4DB"
    "Fa2X61Mz5;0Tl!QvxO2&nf_-u&yiOUw*_%#p$bo+f@HxfYpMbhqKTT532+5Znz~<gHMbW78>m3KtSCN3cq>=|5Ox"
    "JBa3m{O!KD?sNKL8h_RiBl0Tld{pv;dd`FyK_;06+O-+|^Is_y8kuf@1G?P_A)Q#0bJ#pxnyy<0H!|6jEBxf^Nwk"
    "pd{SFa2X61Mz5;0rdj_v&9iinf_-u&vAL<wjj<dRN)C!kSus*O;un*G*NRh0q&Eg?pIyS?Zv<bDv&NKicb;V3RVD"
    "wU4aT5$qFv5$VF;OUAK3h1_~7Xl%ULyD*1e?g5U-cbngI)9};);RI<g;n|7ly@2MH_)Z%mzwcafl`u{I$f89LWuN"
    "o+|Fa2X61Mz5;0rdj_qs0+Snf_-u&ynM{AkHjQ;R#fbEO=#2RbWCiQFAf@CQq8WUv)LN7XurpK)S3bK1FydSOE}r"
    "1uAePD@ZP_$VF;OUAK3h1_~7Xl%ULyD*1e?g5U-cbl(Al4;4pOuP!FBX+QS!?wYY(Elw9v>)nE(|No-3&)rDdj}!"
)  # fmt: skip


def test_a_file_packed_with_a_dictionary_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "pages.warc.zst"
    path.write_bytes(WITH_DICTIONARY)
    run(tmp_path / "out", path, per_shard=2).unwrap()

    assert [row["title"] for row in rows(tmp_path / "out")] == ["Page 0", "Page 1", "Page 2"]
