"""Workbooks that Excel encrypts with a password of its own."""

import hashlib
import struct
from collections.abc import Callable
from functools import partial

import pytest

from tests.formats.containers import compound
from tests.formats.read import error, page
from tests.formats.workbooks import place, record, text, workbook_stream
from webseam.ports.errors import ParseFailed

SALT = bytes(range(16))
PROOF = b"sixteen letters!"
OURS = "VelvetSweatshop"


def rc4(key: bytes, count: int) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for _ in range(count):
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(state[(state[i] + state[j]) % 256])
    return bytes(out)


def mixed(data: bytes, signs: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(data, signs, strict=True))


def md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


def early_key(password: str, block: int) -> bytes:
    seed = md5((md5(password.encode("utf-16-le"))[:5] + SALT) * 16)[:5]
    return md5(seed + struct.pack("<I", block))


def later_key(bits: int, password: str, block: int) -> bytes:
    whole = sha1(sha1(SALT + password.encode("utf-16-le")) + struct.pack("<I", block))
    return whole[: bits // 8] + (bytes(11) if bits == 40 else b"")


def early_lock(key: Callable[[int], bytes]) -> bytes:
    return struct.pack("<HHH", 1, 1, 1) + SALT + mixed(PROOF + md5(PROOF), rc4(key(0), 32))


def later_lock(bits: int, key: Callable[[int], bytes]) -> bytes:
    head = struct.pack("<IIIIIIII", 4, 0, 0x6801, 0x8004, bits if bits != 40 else 0, 1, 0, 0)
    proof = mixed(PROOF + sha1(PROOF), rc4(key(0), 36))
    verifier = struct.pack("<I", 16) + SALT + proof[:16] + struct.pack("<I", 20) + proof[16:]
    return struct.pack("<HHHII", 1, 4, 2, 4, len(head)) + head + verifier


def locked(lock: bytes, key: Callable[[int], bytes]) -> bytes:
    cells = record(0x204, place(0, 0) + text("the tide " * 200))
    stream = workbook_stream({"Tides": cells}, record(0x2F, lock))
    signs = b"".join(rc4(key(block), 1024) for block in range(len(stream) // 1024 + 1))
    sealed, at = bytearray(stream), 0
    while at + 4 <= len(stream):
        sort, length = struct.unpack_from("<HH", stream, at)
        begin, end = at + 4 + 4 * (sort == 0x85), at + 4 + length
        if sort not in (0x809, 0x2F) and begin < end:
            sealed[begin:end] = mixed(stream[begin:end], signs[begin:end])
        at = end
    return bytes(sealed)


EARLY = partial(early_key, OURS)
SHORT, LONG = partial(later_key, 40, OURS), partial(later_key, 128, OURS)


@pytest.mark.parametrize(
    "stream",
    [
        locked(early_lock(EARLY), EARLY),
        locked(later_lock(40, SHORT), SHORT),
        locked(later_lock(128, LONG), LONG),
    ],
    ids=["early", "later, short", "later, long"],
)
def test_a_workbook_locked_by_excel_itself_is_read(stream: bytes) -> None:
    content = page(compound({"Workbook": stream}), "", "https://e.org/a.xls").content

    assert content.startswith("## Tides\n\n| the tide the tide")


@pytest.mark.parametrize(
    "lock",
    [
        early_lock(partial(early_key, "secret")),
        later_lock(128, partial(later_key, 128, "secret")),
        later_lock(128, LONG)[:60],
        struct.pack("<HHH", 0, 0, 0) + bytes(60),
        b"",
    ],
    ids=["early", "later", "cut", "another way", "none"],
)
def test_any_other_password_is_not_guessed(lock: bytes) -> None:
    body = compound({"Workbook": locked(lock, EARLY)})

    assert error(body, "", "https://e.org/a.xls") == ParseFailed(reason="encrypted")


def test_a_large_locked_workbook_stays_locked() -> None:
    body = compound({"Workbook": locked(early_lock(EARLY), EARLY) + bytes(4 * 1024 * 1024)})

    assert error(body, "", "https://e.org/a.xls") == ParseFailed(reason="encrypted")
