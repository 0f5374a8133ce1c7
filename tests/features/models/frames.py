"""Binary event stream frames as AWS writes them."""

import struct
import zlib

import msgspec


def text_header(name: str, value: str) -> bytes:
    raw = value.encode()
    return bytes([len(name)]) + name.encode() + b"\x07" + struct.pack("!H", len(raw)) + raw


def frame(headers: bytes, payload: bytes) -> bytes:
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    body = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return body + struct.pack("!I", zlib.crc32(body))


def event(name: str, payload: object) -> bytes:
    headers = (
        text_header(":event-type", name)
        + text_header(":content-type", "application/json")
        + text_header(":message-type", "event")
    )
    return frame(headers, msgspec.json.encode(payload))


def exception(name: str, message: str) -> bytes:
    headers = text_header(":exception-type", name) + text_header(":message-type", "exception")
    return frame(headers, msgspec.json.encode({"message": message}))
