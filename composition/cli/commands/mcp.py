"""``webseam mcp``: the tools for programs that speak the Model Context Protocol."""

from collections.abc import Sequence

from ...mcp.stdio import serve
from ..arguments.parser import Parser


def run(arguments: Sequence[str]) -> int:
    """Serve until the client goes, and return the exit code."""
    command_line().parse_args(arguments)
    return serve()


def command_line() -> Parser:
    """Return what the command takes."""
    return Parser(
        prog="webseam mcp",
        description="Offer the tools over MCP on standard input and output, to a program that "
        "starts this command. docs/mcp.md tells how to set one up.",
    )
