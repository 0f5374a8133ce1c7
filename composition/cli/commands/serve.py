"""``webseam serve``: the gateway."""

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from returns.result import Failure

from ....ports.errors import InvalidSetting, NotConfigured
from ..arguments.parser import Parser
from ..codes import DONE
from ..output import fail

_MISSING = NotConfigured(
    reason="The gateway needs uvicorn, which is not installed",
    remedy="Run: pip install 'webseam[server]'",
)


def run(arguments: Sequence[str]) -> int:
    """Serve until it is told to end, and return the exit code."""
    options = command_line().parse_args(arguments)
    if find_spec("uvicorn") is None:
        return fail(_MISSING, as_json=False)
    if options.config is not None and not Path(options.config).is_file():
        reason = "there is no such file"
        missing = InvalidSetting(setting=options.config, place="--config", reason=reason)
        return fail(missing, as_json=False)
    environment = dict(os.environ)
    if options.config is not None:
        # What is typed is the user's own word; a relative name in a variable is any folder's.
        environment["WEBSEAM_CONFIG"] = str(Path(options.config).absolute())
    settings = {
        "serve.host": options.host,
        "serve.port": options.port,
        "serve.token": options.token,
    }
    return _serve(environment, settings)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam serve",
        description="Answer searches over HTTP, in our own words and in those of Tavily, Firecrawl,"
        " Exa, SearXNG and others. On this machine no key is needed; elsewhere always.",
        epilog="webseam keys add makes keys; docs/gateway.md tells the rest. SIGHUP reads the"
        " settings again, SIGTERM ends it when calls under way are done.",
    )
    parser.add_argument("--host", help="the address to listen at; 127.0.0.1")
    parser.add_argument("--port", type=int, help="the port; 8787, and 0 for any that is free")
    parser.add_argument(
        "--token", help="a key that may do everything; better in WEBSEAM_SERVE_TOKEN"
    )
    parser.add_argument("--config", metavar="FILE", help="the settings file")
    return parser


def _serve(environment: dict[str, str], settings: dict[str, object]) -> int:
    # uvicorn and all that answers is loaded here, when it is known to be there.
    from ...serve import server  # noqa: PLC0415
    from ...serve.journal import JournalHandler, to_stream  # noqa: PLC0415
    from ...serve.opening import open_gateway  # noqa: PLC0415

    journal = to_stream()
    opened = open_gateway(environment, settings, journal)
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=False)
    gateway = opened.unwrap()
    serving = gateway.settings
    try:
        bound = server.listen(serving)
    except OSError as error:
        reason = f"cannot listen there: {(error.strerror or 'no such address').lower()}"
        place = f"{serving.host}:{serving.port}"
        return fail(InvalidSetting(setting="serve.host", place=place, reason=reason), as_json=False)
    with _logging_to(JournalHandler(journal)):
        server.run(gateway, serving, bound, lambda: _announce(bound, tls=bool(serving.certificate)))
    return DONE


@contextmanager
def _logging_to(handler: logging.Handler) -> Iterator[None]:
    """Have everything that is logged while we serve in the journal, and leave no trace after."""
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def _announce(bound: socket.socket, *, tls: bool) -> None:
    host, port = bound.getsockname()[:2]
    name = f"[{host}]" if ":" in host else host
    print(f"{'https' if tls else 'http'}://{name}:{port}", flush=True)
