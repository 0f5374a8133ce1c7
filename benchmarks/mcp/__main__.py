"""Start to first answer, memory and tokens of MCP servers, interleaved, in one run.

``make mcp-bench`` installs the servers of others and runs this: ``python -m benchmarks.mcp [ROUNDS]
[NAME=COMMAND ...]``. What is not installed is left out. Processor time is the figure to compare on a
busy machine. The first, uncounted round warms the disk.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from .servers import ENVIRONMENTS, Server, node, servers
from .startup import OPENERS, Figures, bare_python, first_answer, idle

# What of a tool a client hands to a model; the rest is for the client.
_SEEN = ("name", "description", "inputSchema")
_COUNT = """
import {encode} from 'gpt-tokenizer/encoding/o200k_base';
import fs from 'fs';
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map((text) => encode(text).length)));
"""


Pair = tuple[Server, str]


def one_round(pairs: Sequence[Pair]) -> dict[tuple[str, str], Figures]:
    """Start everything once; who does not answer is left out."""
    figures: dict[tuple[str, str], Figures | None] = {("python -c pass", ""): bare_python()}
    for server, method in pairs:
        figures[server.name, method] = first_answer(server, method)
    return {key: known for key, known in figures.items() if known is not None}


def tokens(texts: Sequence[str]) -> list[int] | None:
    """Return how many tokens of o200k each text takes; None where nothing here can count them."""
    program, folder = node(), ENVIRONMENTS / "mcp-node"
    if program is None or not (folder / "node_modules" / "gpt-tokenizer").exists():
        return None
    ended = subprocess.run(
        [program, "--input-type=module", "-e", _COUNT],
        input=json.dumps(list(texts)),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    counts: list[int] = json.loads(ended.stdout)
    return counts


def compact(tools: Sequence[dict[str, Any]], names: Sequence[str] = ()) -> str:
    """Return tools as a client gets them, or the fields ``names`` of them alone."""
    chosen = [{key: it for key, it in tool.items() if not names or key in names} for tool in tools]
    return json.dumps(chosen, separators=(",", ":"), ensure_ascii=False)


def main(rounds: int, named: Sequence[str]) -> None:
    """Measure and print."""
    compared = servers(named)
    pairs = [(server, method) for server in compared for method in OPENERS]
    answering = one_round(pairs)
    pairs = [(server, method) for server, method in pairs if (server.name, method) in answering]
    counted = [one_round(pairs) for _ in range(rounds)]
    print(f"{'':32} {'':16} {'wall ms':>8} {'cpu ms':>8} {'MB':>7}")
    for name, method in counted[0]:
        each = [seen[name, method] for seen in counted if (name, method) in seen]
        wall, cpu, memory = (statistics.median(column) for column in zip(*each, strict=True))
        print(f"{name:32} {method:16} {wall:8.0f} {cpu:8.0f} {memory:7.1f}")
    resting = {server.name: idle(server) for server in compared}
    lists = [compact(it.tools, names) for it in resting.values() for names in (_SEEN, ())]
    counts = tokens(lists) or [len(text.encode()) for text in lists]
    unit = "tokens" if tokens([""]) is not None else "bytes (no counter of tokens is installed)"
    print(f"\n{'':32} {'idle MB':>8} {'tools':>6} {'model':>7} {'whole':>7}  {unit}")
    for place, (name, rest) in enumerate(resting.items()):
        model, whole = counts[2 * place : 2 * place + 2]
        print(f"{name:32} {rest.memory:8.1f} {len(rest.tools):6} {model:7} {whole:7}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7, sys.argv[2:])
