"""``webseam mcp``: the tools for programs that speak the Model Context Protocol."""

import argparse
from collections.abc import Sequence

from returns.result import Failure

from ..arguments.parser import Parser
from ..exits import DONE
from ..output import fail


def run(arguments: Sequence[str]) -> int:
    """Serve until the client goes, and return the exit code."""
    options = command_line().parse_args(arguments)
    if options.http:
        return _serve_http(options)
    from ...mcp.stdio import serve  # noqa: PLC0415

    return serve()


def _serve_http(options: argparse.Namespace) -> int:
    from ...mcp.http.serving import serve_http  # noqa: PLC0415  a web server

    given = {"mcp.host": options.host, "mcp.port": options.port, "mcp.token": options.token}
    served = serve_http({name: value for name, value in given.items() if value is not None})
    return fail(served.failure(), as_json=False) if isinstance(served, Failure) else DONE


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam mcp",
        description="Offer the tools over MCP: on standard input and output, to a program that "
        "starts this command, or over HTTP.",
        epilog="docs/mcp.md tells what clients see, and how OAuth is set up.",
    )
    parser.add_argument("--http", action="store_true", help="serve Streamable HTTP at /mcp")
    parser.add_argument("--host", metavar="ADDRESS", help="where to listen, usually 127.0.0.1")
    parser.add_argument("--port", type=int, metavar="N", help="the port, usually 8808")
    parser.add_argument(
        "--token",
        metavar="TEXT",
        help="what clients must call with; WEBSEAM_MCP_TOKEN keeps it out of the process list",
    )
    return parser
