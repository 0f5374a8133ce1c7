"""The limits under which each fault's expected answers hold: small, so that a suite is quick."""

from typing import Final

MIB: Final = 1 << 20

# Seconds: connecting (with TLS), the head, silence within a body, the whole call.
REFERENCE_LIMITS: Final = {
    "connect_s": 1.0,
    "headers_s": 1.5,
    "idle_s": 1.0,
    "deadline_s": 4.0,
    "max_redirects": 5,
    "max_header_bytes": 64 * 1024,
    "max_wire_bytes": 1 * MIB,
    "max_decoded_bytes": 2 * MIB,
    "max_codings": 2,
    "max_url_chars": 8192,
}
