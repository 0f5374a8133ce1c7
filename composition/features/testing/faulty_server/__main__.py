"""Run the faulty server, or print its catalogue."""

import argparse
import asyncio
import contextlib
import json
import sys

from .catalogue import FAULTS
from .server import FaultyServer


def run_faulty_server(arguments: list[str] | None = None) -> None:
    """Print the catalogue with ``--list`` or ``--json``, else serve until interrupted."""
    options = _parser().parse_args(arguments)
    if options.json:
        _print_fault_lines(*(json.dumps(fault.row()) for fault in FAULTS.values()))
    elif options.list:
        _print_fault_lines(*(_fault_line(name) for name in FAULTS))
    else:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_serve_faults(options.host, options.port, options.speed))


async def _serve_faults(host: str, port: int, speed: float) -> None:
    async with FaultyServer(host, port, speed) as server:
        _print_fault_lines(
            f"http://{server.authority}/ serves {len(FAULTS)} faults; catalogue at /_faults",
            *(f"  {name:14} {number}" for name, number in server.ports.items()),
        )
        await asyncio.Event().wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="faulty_server", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8099, help="for the faults; 0 takes a free one")
    parser.add_argument("--speed", type=float, default=1.0, help="multiply every delay by this")
    parser.add_argument("--list", action="store_true", help="print the catalogue as a table")
    parser.add_argument("--json", action="store_true", help="print it as JSON lines")
    return parser


def _fault_line(name: str) -> str:
    fault = FAULTS[name]
    return f"{name:26} {fault.group:11} {'/'.join(fault.expect):45} {fault.behaviour}"


def _print_fault_lines(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    run_faulty_server()
