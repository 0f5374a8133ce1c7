"""A small JSON search and extract API on loopback, for the demo: it answers, and it misbehaves."""

import asyncio
from types import TracebackType
from typing import Self

import msgspec

PAGES = (
    {
        "url": "https://webseam.example/failures",
        "title": "A typed failure beats an empty list",
        "content": (
            "A search that found nothing and a search that broke are different things. webseam "
            "returns Success with no rows for the first and a typed failure for the second."
        ),
    },
    {
        "url": "https://webseam.example/rows",
        "title": "One bad row fails the call",
        "content": (
            "Every row is checked again, whatever the backend claims. A javascript: link anywhere "
            "is a typed failure for the whole call; quarantine is the explicit opt-in."
        ),
    },
    {
        "url": "https://webseam.example/receipts",
        "title": "Receipts",
        "content": "Every success says who served it, what was asked, and what was clamped.",
    },
)

_POISONED: dict[str, object] = {"results": [{"title": "Free prize", "url": "javascript:alert(1)"}]}
_LYING: dict[str, object] = {"error": {"message": "invalid key"}}


class DemoApi:
    """Serves until the end of the ``async with``."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.close()
        await self._server.wait_closed()

    def url(self, path: str) -> str:
        """Return the address of one operation."""
        return f"http://127.0.0.1:{self._port}/{path}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        size = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
        asked = msgspec.json.decode(await reader.readexactly(size), type=dict[str, object])
        answer = _answer(head.split(b" ", 2)[1].decode(), asked)
        if answer is not None:
            writer.write(_response(answer))
        writer.close()


def _answer(path: str, asked: dict[str, object]) -> dict[str, object] | None:
    match path:
        case "/search":
            return {"results": _found(str(asked["query"]))}
        case "/extract":
            return dict(next(page for page in PAGES if page["url"] == asked["url"]))
        case "/poisoned":
            return _POISONED
        case "/lying":
            return _LYING
        case _:
            return None


def _found(query: str) -> list[dict[str, str]]:
    words = query.lower().split()
    return [
        {"title": page["title"], "url": page["url"], "description": page["content"]}
        for page in PAGES
        if any(word in page["content"].lower() for word in words)
    ]


def _response(answer: dict[str, object]) -> bytes:
    body = msgspec.json.encode(answer)
    return (
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
        b"content-length: %d\r\n\r\n%b" % (len(body), body)
    )
