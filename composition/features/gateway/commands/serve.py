"""Serve: offer several search APIs at one address."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from returns.result import Failure

from webseam.composition.features.gateway.settings import ServeSettings
from webseam.composition.terminal.argument_parser import (
    Parser,
    name_option_in_error,
    settings_from_options,
)
from webseam.composition.terminal.exit_numbers import DONE
from webseam.composition.terminal.output import print_error, unwrap_or_exit
from webseam.kernel.text.display import quote_value
from webseam.ports.errors import InvalidQuery, InvalidSetting, NotConfigured, WebError

from ..listen_sockets import open_listener, url_authority

if TYPE_CHECKING:
    from webseam.composition.tools.toolbox import ToolboxOverrides

    from ..gateway_setup import WorkerSettings
    from ..worker_channel import WorkerChannel

_NO_UVICORN = NotConfigured(
    reason="The gateway needs uvicorn, which is not installed",
    remedy="Run: pip install 'webseam[server]'",
)


_GREETING = """\
webseam answers at {url}
Try it in a browser: {url}/
What programs may ask: {url}/docs. Ctrl+C ends it."""


def run(arguments: Sequence[str]) -> int:
    """Serve until a signal ends it, and return the exit code."""
    options = command_line().parse_args(arguments)
    if find_spec("uvicorn") is None:
        return print_error(_NO_UVICORN, as_json=False)
    if options.config is not None and not Path(options.config).is_file():
        reason = f"there is no file {quote_value(options.config)}"
        return print_error(InvalidQuery(field="--config", reason=reason), as_json=False)
    environment = dict(os.environ)
    if options.config is not None:
        # A typed path is relative to this folder; the variable takes absolute paths only.
        environment["WEBSEAM_CONFIG"] = str(Path(options.config).absolute())
    names = ("host", "port", "token", "workers")
    settings = unwrap_or_exit(
        settings_from_options("serve", {name: getattr(options, name) for name in names})
    )
    from webseam.composition.tools.toolbox import ToolboxOverrides  # after the checks

    return _serve(ToolboxOverrides(settings=settings, environment=environment))


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam serve",
        example="--port 8787",
        with_json=False,
        description="Answer searches over HTTP, in our own words and in those of Tavily, Firecrawl,"
        " Exa, SearXNG and others. On this machine no key is needed; elsewhere always.",
        epilog="webseam keys add makes keys; docs/gateway.md tells the rest. SIGHUP reads the"
        " settings again, SIGTERM ends it when calls under way are done.",
        # The words after a container's name are those of this command.
        hints={"keys": "type webseam keys; in a container, webseam is its --entrypoint"},
    )
    add = parser.add_argument
    add("--host", help="the address to listen at; 127.0.0.1")
    add("--port", type=int, help="the port; 8787, and 0 for any that is free")
    add("--token", help="a key that may do everything; better in WEBSEAM_SERVE_TOKEN")
    add("--workers", type=int, metavar="N", help="processes that share the port; 1")
    add("--config", metavar="FILE", help="the settings file")
    return parser


def _serve(parts: "ToolboxOverrides") -> int:
    # Import late, after the check that uvicorn is installed.
    from .. import server

    with server.hold_reload_signal():
        return _serve_while_held(parts)


def _serve_while_held(parts: "ToolboxOverrides") -> int:
    from .. import server
    from ..gateway_settings import SettingsReader
    from ..gateway_setup import WorkerSettings, build_gateway, judge_start
    from ..journal import JournalHandler, journal_writer

    journal, reader = journal_writer(), SettingsReader(parts)

    def print_failure(error: WebError) -> int:
        return print_error(name_option_in_error(error, parts.settings), as_json=False)

    if isinstance(root := reader.read(), Failure):
        return print_failure(root.failure())
    settings = root.unwrap().settings
    serving = settings.of(ServeSettings)
    if (refusal := judge_start(root.unwrap(), journal)) is not None:
        return print_failure(refusal)
    if isinstance(listening := open_listener("serve", serving, settings.entries), Failure):
        return print_failure(listening.failure())
    bound = listening.unwrap()

    def announce() -> None:
        address = url_authority(*bound.getsockname()[:2])
        url = f"{'https' if serving.certificate else 'http'}://{address}"
        greeting = _GREETING.format(url=url) if sys.stdout.isatty() else url
        print(greeting, flush=True)

    if serving.workers > 1:
        start = WorkerSettings(reader, root.unwrap())
        return _serve_with_workers(parts, start, bound, announce, print_failure)
    if isinstance(opened := build_gateway(parts, journal, reader, root.unwrap()), Failure):
        return print_failure(opened.failure())
    gateway = opened.unwrap()
    if (problem := asyncio.run(gateway.explain_unusable())) is not None:
        return print_failure(problem)
    with _log_to_journal(JournalHandler(journal)):
        certificate = server.open_certificate(serving)
        server.run_gateway(gateway, serving, [bound], announce, certificate=certificate)
    return DONE


def _serve_with_workers(
    parts: "ToolboxOverrides",
    settings: "WorkerSettings",
    bound: socket.socket,
    announce: Callable[[], None],
    print_failure: Callable[[WebError], int],
) -> int:
    """Serve with several workers, each with its own files and connections."""
    from .. import server
    from ..gateway_setup import WorkerPlace, build_gateway
    from ..journal import JournalHandler, journal_writer
    from ..worker_channel import Failed, Listening
    from ..workers import WorkerTeam

    if not hasattr(os, "fork"):
        reason = "several workers need a system with fork; here it is 1"
        return print_failure(
            InvalidSetting(setting="serve.workers", place="the settings", reason=reason)
        )
    from ..supervisor import Supervisor  # it needs fork

    journal, serving = journal_writer(), settings.first.settings.of(ServeSettings)
    private_sockets = [server.open_worker_listener() for _ in range(serving.workers)]
    ports = tuple(listener.getsockname()[1] for listener in private_sockets)
    secret = secrets.token_hex(16)
    certificate = server.open_certificate(serving)

    def work(number: int, channel: "WorkerChannel") -> int:
        team = WorkerTeam(number=number, ports=ports, secret=secret, tls=certificate is not None)
        place = WorkerPlace(team=team, board=channel.board, settings=settings.current)
        opened = build_gateway(parts, journal, settings.reader, settings.first, place)
        if isinstance(opened, Failure):
            channel.report(Failed(opened.failure()))
            return 1
        gateway = opened.unwrap()
        problem = asyncio.run(gateway.explain_unusable())
        # Settings that were accepted count, whatever broke since: the rest of the team has them.
        if problem is not None and not channel.board.state().is_complete:
            channel.report(Failed(problem))
            return 1
        with _log_to_journal(JournalHandler(journal)):
            server.run_gateway(
                gateway,
                serving,
                [bound, private_sockets[number]],
                lambda: channel.report(Listening()),
                certificate=certificate,
                channel=channel,
            )
        return DONE

    return Supervisor(
        work,
        settings,
        count=serving.workers,
        journal=journal,
        drain=serving.drain,
        listener=bound,
        print_failure=print_failure,
    ).run(announce)


@contextmanager
def _log_to_journal(handler: logging.Handler) -> Iterator[None]:
    """Send all log records to ``handler``; restore the root logger afterwards."""
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
