"""What each setting bounds: ``timeout`` one attempt of one backend, ``deadline`` a whole call."""

import asyncio
from pathlib import Path
from typing import Any

from returns.result import Result

from webseam.adapters.server_shutdown import close_server
from webseam.ports import DeadlineExceeded, WebError

from .test_attempt_counts import Ask, custom, model_asks, service_asks, with_web

SHORT = 0.05


def ask_silence(ask: Ask) -> tuple[Result[Any, WebError], int]:
    """Ask a server that never answers; return the result and how many connections came."""
    connections: list[int] = []

    async def stay_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(1)
        await reader.read()
        writer.close()

    async def asked() -> Result[Any, WebError]:
        server = await asyncio.start_server(stay_silent, "127.0.0.1", 0)
        try:
            return await ask(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        finally:
            await close_server(server)

    return asyncio.run(asked()), len(connections)


def own_asks(folder: Path, **limits: float) -> dict[str, Ask]:
    """Return the backends without a declaration: a JSON API, the reader of pages, a route."""

    def configure(url: str) -> dict[str, object]:
        return {"services": {"json": {"search_url": url}}, **custom(url), **limits}

    return {
        "json": with_web(folder, configure, "json"),
        "pages": with_web(folder, configure, "pages", "{url}/a"),
    }


def check_limit(asks: dict[str, Ask]) -> None:
    for name, ask in asks.items():
        result, connections = ask_silence(ask)

        error = result.failure()
        # A service that knows only its own pages refuses this one unasked.
        assert connections == (error.kind != "invalid_url"), name
        if connections:
            assert isinstance(error, DeadlineExceeded), name
            assert error.deadline == SHORT, name


def test_the_timeout_bounds_an_attempt_of_every_backend(tmp_path: Path) -> None:
    limit = {"timeout": SHORT}
    check_limit(
        {
            **service_asks(tmp_path, **limit),
            **model_asks(tmp_path, **limit),
            **own_asks(tmp_path, **limit),
        }
    )


def test_the_deadline_bounds_a_call_whatever_the_timeout_is(tmp_path: Path) -> None:
    check_limit(own_asks(tmp_path, timeout=600.0, deadline=SHORT))
