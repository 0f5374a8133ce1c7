"""Serve: give the tools to a program that speaks MCP."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence

import msgspec
from returns.result import Failure, Result

from webseam.composition.feature_table import Part, load
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.terminal import argument_parser
from webseam.composition.terminal.console import Console, Terminal, is_terminal
from webseam.composition.terminal.exit_codes import BACKEND_FAILED, BAD_INPUT, DONE
from webseam.composition.terminal.output import print_error, print_verdict, unwrap_or_exit
from webseam.kernel.text.display import strip_hidden
from webseam.ports.errors import CheckFailed, InvalidQuery, InvalidSetting, WebError

from ...mcp import client_changes
from ...mcp.mcp_clients import CLIENTS, WAYS, Launcher, Machine, McpClient, make_server_launcher
from ...mcp.server_check import check_mcp_server

# Serves until it is interrupted, with these settings.
MCP_SERVER = Part[Callable[[Mapping[str, object]], Result[None, WebError]]]("serve_mcp")


def run(arguments: Sequence[str]) -> int:
    """Serve until the client goes, or set one up; return the exit code."""
    return argument_parser.run_subcommand(command_line(), arguments)


def _run_command(options: argparse.Namespace) -> int:
    names = ("host", "port", "token")
    settings = unwrap_or_exit(
        argument_parser.settings_from_options(
            "mcp", {name: getattr(options, name) for name in names}
        )
    )
    if options.http:
        served = load(MCP_SERVER)(settings)
        if isinstance(served, Failure):
            return print_error(
                argument_parser.name_option_in_error(served.failure(), settings), as_json=False
            )
        return DONE
    for setting in settings:
        alone = InvalidSetting(setting=setting, place="", reason="goes with --http")
        return print_error(argument_parser.name_option_in_error(alone, settings), as_json=False)
    from ...mcp.stdio import serve_mcp_stdio  # noqa: PLC0415  not at every start

    return serve_mcp_stdio()


def _run_uninstall(options: argparse.Namespace) -> int:
    console = Terminal() if is_terminal() else None
    client = CLIENTS[options.client]
    return install_mcp_from_command(client, None, command_machine(), console, yes=options.yes)


def _run_install(options: argparse.Namespace) -> int:
    started = unwrap_or_exit(make_server_launcher(options.way))
    if options.print:
        return _print_config(options.client, started)
    if options.client is None:
        names = ", ".join(CLIENTS)
        missing = InvalidQuery(field="CLIENT", reason=f"say which: {names}; or --print")
        return print_error(missing, as_json=False)
    client = CLIENTS[options.client]
    console = Terminal() if is_terminal() else None
    return install_mcp_from_command(client, started, command_machine(), console, yes=options.yes)


def install_mcp_from_command(
    client: McpClient,
    started: Launcher | None,
    machine: Machine,
    console: Console | None,
    *,
    yes: bool,
) -> int:
    """Show the change to a client's files and write it after a yes; return the exit code.

    Without a launcher the change removes what an earlier one added.
    """
    if isinstance(planned := client_changes.plan_client_changes(client, started, machine), Failure):
        code = print_error(planned.failure(), as_json=False)
        if started is not None:
            snippet = client_changes.client_config_snippet(client, started)
            print(f"\nAdd this by hand:\n\n{snippet}", file=sys.stderr)
        return code
    if not (changes := planned.unwrap()):
        state = "does not have it" if started is None else "has it already"
        print(f"{client.title} {state}, in {client.file(machine)}")
        return DONE
    for change in changes:
        print(strip_hidden(change.diff()))
    if not yes and not _prompt_for_change(console, client):
        print("Nothing was changed.")
        return DONE if console is not None else BAD_INPUT
    return _print_changes(changes, client, is_installed=started is not None)


def _prompt_for_change(console: Console | None, client: McpClient) -> bool:
    if console is None:
        print("webseam: --yes writes this without a question.", file=sys.stderr)
        return False
    question = f"Write this to the settings of {client.title}? [y/N] "
    try:
        return console.ask_line(question) in ("y", "yes")
    except EOFError:
        return False


def _print_changes(
    changes: Sequence[client_changes.ConfigChange], client: McpClient, *, is_installed: bool
) -> int:
    for change in changes:
        backup = unwrap_or_exit(client_changes.write_client_change(change))
        done = "Removed" if change.after is None else "Written to"
        print(f"{done} {change.file}" + (f"; what was there is in {backup.name}" if backup else ""))
    if is_installed:
        print(" ".join(filter(None, (client.after, "`webseam mcp check` starts it once."))))
    return DONE


def _print_config(name: str | None, started: Launcher) -> int:
    if name is not None:
        client = CLIENTS[name]
        print(f"{client.file(command_machine())}:\n")
        print(client_changes.client_config_snippet(client, started), end="")
        return DONE
    entry = {"command": started.command, "args": list(started.args)}
    print(json.dumps({"mcpServers": {"webseam": entry}}, indent=2))
    return DONE


def command_machine() -> Machine:
    """Return the machine this runs on."""
    files = FileLocations()
    return Machine(platform=sys.platform, home=files.home_folder, variables=dict(files.variables))


def _run_check(options: argparse.Namespace) -> int:
    started = unwrap_or_exit(make_server_launcher(options.way), options)
    findings = check_mcp_server(started)
    wrong = next((finding.words for finding in findings if not finding.fine), None)
    if options.json:
        data = {"findings": msgspec.to_builtins(findings)}
        problem = None if wrong is None else CheckFailed(problem=wrong)
        print_verdict(data, problem, ["webseam doctor --live"])
    else:
        for finding in findings:
            sign = "ok " if finding.fine else "NOT"
            print(strip_hidden(f"{sign} {finding.name}: {finding.words}"))
    return DONE if wrong is None else BACKEND_FAILED


def command_line() -> argument_parser.Parser:
    """Return the parser of the command's arguments."""
    parser = argument_parser.Parser(
        prog="webseam mcp",
        example="install claude-code\n--http --port 8808",
        with_json=False,
        description="Offer the tools over MCP: on standard input and output, to a program that "
        "starts this command, or over HTTP.",
        epilog="docs/mcp.md tells what clients see, and how OAuth is set up.",
    )
    parser.set_defaults(run=_run_command)
    http = parser.add_argument_group("over HTTP")
    http.add_argument("--http", action="store_true", help="serve Streamable HTTP at /mcp")
    http.add_argument("--host", metavar="ADDRESS", help="where to listen, usually 127.0.0.1")
    http.add_argument("--port", type=int, metavar="N", help="the port, usually 8808")
    http.add_argument(
        "--token",
        metavar="TEXT",
        help="what clients must call with; WEBSEAM_MCP_TOKEN keeps it out of the process list",
    )
    commands = parser.add_subparsers(metavar="COMMAND")
    add = commands.add_parser(
        "install",
        example="claude-code",
        with_json=False,
        help="have a program use it",
        description="Put this server into the settings of a program. The change is shown first, "
        "and made after a yes; comments stay, and what was there is kept beside the file.",
    )
    add.add_argument("client", nargs="?", choices=list(CLIENTS), help="the program")
    add.add_argument("--yes", action="store_true", help="write it without a question")
    add.add_argument("--print", action="store_true", help="only print what belongs there")
    add.set_defaults(run=_run_install)
    remove = commands.add_parser(
        "uninstall",
        example="claude-code",
        with_json=False,
        help="have a program no longer use it",
        description="Take this server and its skill out of the settings of a program. The change "
        "is shown first, and made after a yes.",
    )
    remove.add_argument("client", choices=list(CLIENTS), help="the program")
    remove.add_argument("--yes", action="store_true", help="write it without a question")
    remove.set_defaults(run=_run_uninstall)
    check = commands.add_parser(
        "check",
        help="start it as a program would",
        description="Start the server as a program would, speak to it, have it search once, which "
        "a service may count, and end it.",
    )
    check.set_defaults(run=_run_check)
    for command in (add, check):
        command.add_argument(
            "--with",
            dest="way",
            choices=WAYS,
            default="auto",
            help="how it is started: from this environment (venv), with uvx, or with pipx",
        )
    return parser
