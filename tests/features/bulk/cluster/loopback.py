"""A Ray cluster on loopback: no telemetry, no dashboard, no open port, nothing left behind."""

import os
import secrets
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

STORE_BYTES = 100 * 1024 * 1024


def settle(folder: Path) -> None:
    """Set what Ray reads once, before it is imported."""
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(32))
    # There it notes the address of the cluster; it does not make the folder.
    (folder / "ray").mkdir()
    os.environ.update(
        RAY_TMPDIR=str(folder),
        RAY_USAGE_STATS_ENABLED="0",
        RAY_AUTH_MODE="token",
        RAY_AUTH_TOKEN_PATH=str(token),
        # On Linux as on a Mac: nodes listen on 127.0.0.1 alone.
        RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",
        # A lost node is noticed in seconds.
        RAY_health_check_initial_delay_ms="1000",
        RAY_health_check_period_ms="1000",
        RAY_health_check_timeout_ms="1000",
        RAY_health_check_failure_threshold="3",
    )


class Nodes:
    """A head without processors, and nodes that may be lost."""

    def __init__(self, cluster: Any, usual: dict[str, object]) -> None:
        self._cluster, self._usual = cluster, usual

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> None:
        """Add a node; only from the main thread, as Ray sets signal handlers."""
        self._cluster.add_node(num_cpus=1, **self._usual)

    def lose(self, place: int) -> None:
        """Kill a node without a word."""
        nodes = sorted(self._cluster.worker_nodes, key=lambda node: str(node.unique_id))
        self._cluster.remove_node(nodes[place % len(nodes)], allow_graceful=False)


@contextmanager
def cluster(nodes: int) -> Iterator[Nodes]:
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        settle(Path(folder))
        from ray.cluster_utils import Cluster  # noqa: PLC0415  once it is set up

        usual: dict[str, object] = {
            "include_dashboard": False,
            "object_store_memory": STORE_BYTES,
            "node_ip_address": "127.0.0.1",
            "temp_dir": f"{folder}/ray",
        }
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **usual})
        try:
            these = Nodes(made, usual)
            for _ in range(nodes):
                these.add()
            yield these
        finally:
            made.shutdown()


def busy_workers() -> list[int]:
    """Return the processes below this one that work on a shard or a group."""
    table = _processes()
    mine, new = set[int](), {os.getpid()}
    while new:
        mine |= new
        new = {pid for pid, (parent, _) in table.items() if parent in new} - mine
    names = ("ray::read_shard", "ray::fetch_group")
    return sorted(pid for pid in mine if table.get(pid, (0, ""))[1].startswith(names))


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _processes() -> dict[int, tuple[int, str]]:
    table = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (place / "stat").read_text().rpartition(")")[2].split()
            command = (place / "cmdline").read_bytes().decode(errors="replace")
            table[int(place.name)] = (int(fields[1]), command)
    return table
