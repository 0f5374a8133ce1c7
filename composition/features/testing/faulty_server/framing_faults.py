"""Faults of framing: heads, lengths and chunks that are invalid or contradict each other."""

from .conversation import PAGE, FaultGroup, fault_bytes, fault_head, fault_html
from .listeners import MIB

FRAMING = FaultGroup("framing")
_MEMORY_CHECK = "peak memory bounded"
_HTTP2_SETTINGS = b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64"
_CHUNKED_HEAD = fault_html("Transfer-Encoding: chunked")
_TWO_LENGTHS = fault_html("Content-Length: 10", "Content-Length: 20")
_LENGTH_AND_CODING = fault_head(
    "Content-Type: text/plain",
    "Content-Length: 3",
    "Transfer-Encoding: chunked",
    "Connection: close",
)
_NUL_IN_HEAD = fault_head(
    "X-Bad: a\0b", "Content-Type: text/plain", "Content-Length: 9", "Connection: close"
)
_UPGRADE_HEAD = fault_head(
    "Upgrade: websocket", "Connection: Upgrade", status="101 Switching Protocols"
)


def _add_framing(
    name: str,
    behaviour: str,
    data: bytes,
    expect: str = "protocol_error",
    *,
    silent: bool = False,
    endless: bytes = b"",
    seconds: float = 0.0,
    check: str = "",
) -> None:
    play = fault_bytes(data, silent=silent, endless=endless, seconds=seconds)
    FRAMING.add(name, expect, behaviour, play, check=check)


_add_framing(
    "not_http", "Greet like a mail server.", b"220 mail.example ESMTP ready\r\n250 ok\r\n\r\n"
)
_add_framing("ssh_banner", "Greet like an SSH server.", b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
_add_framing("http09", "Send bare HTML without a status line, as HTTP/0.9 did.", PAGE + b"\r\n\r\n")
_add_framing(
    "http2_frames",
    "Send HTTP/2 frames to a client that speaks HTTP/1.1.",
    _HTTP2_SETTINGS + bytes(64) + b"\r\n\r\n",
)
_add_framing(
    "status_99999", "Give the status 99999.", fault_head("Content-Length: 0", status="99999 What")
)
_add_framing(
    "status_letters",
    "Write letters in the status.",
    fault_head("Content-Length: 0", status="2OO OK"),
)
_add_framing(
    "cl_negative", "Give a negative Content-Length.", fault_html("Content-Length: -5") + b"hello"
)
_add_framing(
    "cl_words",
    "Give the Content-Length as a word.",
    fault_html("Content-Length: ten") + b"0123456789",
)
_add_framing(
    "cl_conflict", "Give two Content-Lengths that differ.", _TWO_LENGTHS + b"0123456789" * 2
)
_add_framing(
    "cl_too_small",
    "Give a Content-Length of 10 and send 500 bytes.",
    fault_head("Content-Type: text/plain", "Content-Length: 10") + b"MARKER-OK " + b"S" * 490,
    "ok protocol_error",
    check="the surplus never shows up in any later response on a reused connection",
)
_add_framing(
    "cl_and_te",
    "Give both a Content-Length and a Transfer-Encoding.",
    _LENGTH_AND_CODING + b"9\r\nMARKER-OK\r\n0\r\n\r\n",
    "ok protocol_error",
)
_add_framing(
    "cl_petabyte",
    "Announce a petabyte; the client must refuse it before it reads.",
    fault_html("Content-Length: 1000000000000000") + b"<html>",
    "response_too_large protocol_error",
    silent=True,
)
_add_framing(
    "cl_5000_digits",
    "Give a Content-Length of 5,000 digits.",
    fault_html("Content-Length: " + "9" * 5000),
    silent=True,
)
_add_framing(
    "chunk_bad_hex",
    "Give a chunk size that is not hexadecimal.",
    _CHUNKED_HEAD + b"xyz\r\nhello\r\n0\r\n\r\n",
)
_add_framing(
    "chunk_bad_terminator",
    "End a chunk without a line break, which h11 before 0.16 let pass.",
    _CHUNKED_HEAD + b"5\r\nhelloXX0\r\n\r\n",
)
_add_framing(
    "chunk_huge_size",
    "Announce a chunk of 2^64 bytes.",
    _CHUNKED_HEAD + b"FFFFFFFFFFFFFFFF\r\nhello",
    "protocol_error response_too_large timeout connection_lost",
    silent=True,
)
_add_framing(
    "chunk_ext_endless",
    "Begin a chunk extension that never ends.",
    _CHUNKED_HEAD + b"5;",
    "protocol_error response_too_large",
    endless=b"e" * 16384,
    check=_MEMORY_CHECK,
)
_add_framing(
    "trailers_endless",
    "Send trailers that never end.",
    _CHUNKED_HEAD + b"5\r\nhello\r\n0\r\n",
    "protocol_error response_too_large",
    endless=b"X-T: " + b"t" * 1000 + b"\r\n",
    check=_MEMORY_CHECK,
)
_add_framing(
    "te_unknown",
    "Name a transfer coding that does not exist.",
    fault_html("Transfer-Encoding: bogus") + b"hello",
)
_add_framing(
    "header_no_colon",
    "Send a header line without a colon.",
    fault_head("this is not a header", "Content-Length: 0"),
)
_add_framing("header_nul", "Put a NUL byte into a header.", _NUL_IN_HEAD + b"MARKER-OK")
_add_framing(
    "header_1mib",
    "Send a header of 1 MiB.",
    fault_head("X-Big: " + "b" * MIB, "Content-Length: 0"),
    "response_too_large",
)
_add_framing(
    "headers_10000",
    "Send ten thousand small headers.",
    fault_head(*(f"X-{number}: v" for number in range(10_000)), "Content-Length: 0"),
    "response_too_large",
)
_add_framing(
    "headers_endless",
    "Send headers for ever, fast.",
    b"HTTP/1.1 200 OK\r\n",
    "response_too_large",
    endless=b"X-H: " + b"h" * 1000 + b"\r\n",
    check=_MEMORY_CHECK,
)
_add_framing(
    "continue_flood",
    "Send 100 Continue over and over.",
    b"",
    "protocol_error timeout response_too_large",
    endless=b"HTTP/1.1 100 Continue\r\n\r\n" * 64,
    seconds=0.01,
)
_add_framing(
    "switching",
    "Switch protocols without a request to.",
    _UPGRADE_HEAD,
    "protocol_error http_status",
    silent=True,
)
