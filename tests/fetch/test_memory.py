"""A bomb of 64 or 256 MiB costs the limit and little more, measured in a process of its own."""

import json
import subprocess
import sys

import pytest

from webseam.composition.features.testing.faulty_server import FaultyServer

MIB = 1024
BOMBS = ("gzip_bomb", "gzip_bomb_nested", "deflate_bomb", "br_bomb", "zstd_bomb", "endless_body")

CLIENT = """
import asyncio, json, resource, sys
from webseam.adapters.pages.fetch.connect import FetchLimits
from webseam.composition.wiring.pages import wire_page_fetcher
from webseam.kernel.policy import PolicySettings, make_policy

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

async def main(port, good, *bombs):
    policy = make_policy(PolicySettings(allow_private=(f"127.0.0.1/32:{port}",))).unwrap()
    limits = FetchLimits(wire_bytes=1 << 20, decoded_bytes=2 << 20)
    fetcher = wire_page_fetcher(policy, limits)
    (await fetcher.fetch(good)).unwrap()
    before = peak()
    found = await asyncio.gather(*(fetcher.fetch(bomb) for bomb in bombs))
    print(json.dumps([[one.failure().kind for one in found], peak() - before]))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
def test_bombs_stop_at_the_limit(faulty_server: FaultyServer) -> None:
    urls = [faulty_server.url(name) for name in ("ok", *BOMBS)]
    arguments = [sys.executable, "-c", CLIENT, str(faulty_server.ports["main"]), *urls]

    ran = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)

    kinds, grown = json.loads(ran.stdout)
    assert set(kinds) <= {"response_too_large", "bad_encoding"}
    assert grown < len(BOMBS) * 4 * MIB
