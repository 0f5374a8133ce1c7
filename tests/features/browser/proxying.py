"""Speak to the guarding proxy by hand."""

import asyncio
import base64

from webseam.adapters.features.browser.browser_command import PROXY_HOST, PROXY_USER

from .support import (
    OpenProxy,
)


def asking(proxy: OpenProxy, line: str, *headers: str, body: bytes = b"") -> bytes:
    pair = base64.b64encode(f"{PROXY_USER}:{proxy.password}".encode()).decode()
    lines = [line, f"Proxy-Authorization: Basic {pair}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def send(proxy: OpenProxy, request: bytes) -> bytes:
    """Send bytes to the proxy, and return all that comes back until it hangs up."""
    reader, writer = await asyncio.open_connection(PROXY_HOST, proxy.port)
    writer.write(request)
    try:
        return await asyncio.wait_for(reader.read(), 60)
    except ConnectionError:
        return b""
    finally:
        writer.close()


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])
