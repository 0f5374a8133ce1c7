"""What each setting bounds: ``timeout`` one attempt of one backend, ``deadline`` a whole call."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from returns.result import Result

from tests.clock import ManualClockLoop, pass_time, run
from tests.planner.attempts import Ask, custom, model_asks, service_asks, with_web
from webseam.adapters.features.gateway.replies import refusal_for_error
from webseam.adapters.server_shutdown import close_server
from webseam.composition.planning.route_backend import RouteBackend
from webseam.composition.settings.remedies import retry_after
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.root import read_root
from webseam.ports import DeadlineExceeded, RateLimited, WebError

LIMIT = 50.0


def ask_silence(ask: Ask) -> tuple[Result[Any, WebError], int]:
    """Ask a server that never answers; return the result and how many connections came.

    When one has come, more time passes than the limit.
    """

    async def asked() -> tuple[Result[Any, WebError], int]:
        connections: list[int] = []
        has_come = asyncio.Event()

        async def stay_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(1)
            has_come.set()
            await reader.read()
            writer.close()

        server = await asyncio.start_server(stay_silent, "127.0.0.1", 0)
        try:
            call = asyncio.ensure_future(
                ask(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
            )
            connecting = asyncio.ensure_future(has_come.wait())
            await asyncio.wait([call, connecting], return_when=asyncio.FIRST_COMPLETED)
            connecting.cancel()
            if not call.done():
                await pass_time(LIMIT + 1.0)
            return await call, len(connections)
        finally:
            await close_server(server)

    return run(asked(), ManualClockLoop)


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
            assert error.deadline == LIMIT, name


def test_the_timeout_bounds_an_attempt_of_every_backend(tmp_path: Path) -> None:
    limit = {"timeout": LIMIT}
    check_limit(
        {
            **service_asks(tmp_path, **limit),
            **model_asks(tmp_path, **limit),
            **own_asks(tmp_path, **limit),
        }
    )


def test_the_deadline_bounds_a_call_whatever_the_timeout_is(tmp_path: Path) -> None:
    check_limit(own_asks(tmp_path, timeout=600.0, deadline=LIMIT))


ROUTES = (
    ["json", "custom"],
    ["custom", "json"],
    ["json+custom"],
    ["json", "custom", "openai_web"],
)


@pytest.mark.parametrize("members", ROUTES, ids=" ".join)
@pytest.mark.parametrize("limit", [None, 6.0])
def test_the_timeout_bounds_a_route_with_every_kind_of_member(
    members: list[str], limit: float | None, tmp_path: Path
) -> None:
    """The planner ends a call after the seconds of its plan: they are the timeout, once."""
    block = "{base_url: 'http://127.0.0.1:9', api_key: key-0123456789}"
    text = (
        "services: {json: {search_url: 'http://127.0.0.1:9'}}\n"
        f"providers: {{openai: {block}}}\n"
        "custom_base_url: 'http://127.0.0.1:9'\ncustom_api_key: key-0123456789\n"
        f"cache: {{enabled: false}}\nsearch_route: {members}\n"
    )
    config = tmp_path / "config.yaml"
    config.write_text(text if limit is None else f"{text}timeout: {limit}\n")
    root = read_root(environment={"WEBSEAM_CONFIG": str(config), "HOME": str(tmp_path)}).unwrap()

    backend = choose_backend("search", root).unwrap().backend

    assert isinstance(backend, RouteBackend)
    assert backend.plan.seconds == (120.0 if limit is None else limit)
    services = backend.planner.terms["search:json#1"].seconds
    models = backend.planner.terms["search:custom#1"].seconds
    assert (services, models) == ((10.0, 120.0) if limit is None else (limit / 3, limit))


def test_a_time_limit_says_whose_it_was() -> None:
    error = DeadlineExceeded(deadline=2.0, backend="brave")

    assert "your timeout of 2 s" in error.remedy_for("terminal")
    assert "your timeout of 2 s" in error.remedy_for("http")


def test_advice_reaches_no_further_than_a_day() -> None:
    error = RateLimited(retry_after=999_999_999.0, backend="brave")

    assert error.message == "brave asks to slow down; try again in 86400 s."
    assert retry_after(error) == 86_400.0
    assert refusal_for_error(error).retry_after == 86_400.0
