"""A Ray cluster that runs our functions as tasks, and again when a worker or a node is lost.

Only descriptions of the work and short reports pass through Ray, never a page. Facts about Ray are
those of 2.60 (read and tried 2026-11-15).
"""

# ruff: noqa: ANN401
# Ray is an extra: its types may not be here.

from __future__ import annotations

import logging
import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar

from returns.result import Failure, Result, Success

from webseam.ports.errors import BackendCrashed, InvalidQuery, NotConfigured, WebError

from ...values.json_values import parse_whole_number

ENGINE_NAME: Final = "ray"
# Retries of one task: losing a node is normal, but must not repeat for ever.
MAX_TASK_RETRIES: Final = 50
CONNECT_SECONDS: Final = 10.0
JOIN_SECONDS: Final = 60.0
# Ray requires at least 75 MiB, and only descriptions pass through it.
_OBJECT_STORE_BYTES: Final = 100 * 1024 * 1024
_LOCAL_ADDRESS: Final = "local"
_START_REMEDY: Final = "Run `ray start --head` here to see the reason."
_JOIN_REMEDY: Final = (
    "Look there with: ray status. A cluster that was started with a token needs the same "
    "RAY_AUTH_MODE and RAY_AUTH_TOKEN_PATH here."
)
# Set before Ray is imported. Our own cluster listens on loopback only: Ray would otherwise
# rewrite the address to the outer one.
_RAY_VARIABLES: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
_LOOPBACK_VARIABLES: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
TaskInput = TypeVar("TaskInput")
TaskOutput = TypeVar("TaskOutput")


class Cluster:
    """A cluster that this process is connected to."""

    def __init__(self, ray: Any) -> None:  # an extra; we use it without its types
        """Use the imported package."""
        self._ray = ray
        self._tasks: dict[tuple[object, float], Any] = {}

    def processors(self) -> int:
        """Return how many processors the nodes have now; at least one."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    async def run(
        self, work: Callable[[TaskInput], TaskOutput], order: TaskInput, *, processors: float = 1.0
    ) -> Result[TaskOutput, WebError]:
        """Run ``work``, an idempotent function that nodes can import, on a node."""
        try:
            answer: TaskOutput = await self._remote_task(work, processors).remote(order)
        except self._ray.exceptions.RayTaskError as error:
            return Failure(_task_error(error))
        except self._ray.exceptions.RayError as error:
            return Failure(BackendCrashed(backend=ENGINE_NAME, error=type(error).__name__))
        return Success(answer)

    def _remote_task(self, work: Callable[..., object], processors: float) -> Any:
        key = (work, processors)
        if key not in self._tasks:
            self._tasks[key] = self._ray.remote(
                num_cpus=processors, max_retries=MAX_TASK_RETRIES, retry_exceptions=False
            )(work)
        return self._tasks[key]


@contextmanager
def connect_cluster(address: str, processors: int) -> Iterator[Result[Cluster, WebError]]:
    """Connect to the cluster at ``address``; start one on this machine if it is empty.

    A program that is already connected stays so, and its cluster is used. ``processors`` applies to
    a cluster that we start.
    """
    refusal = explain_unreachable_cluster(address)
    if refusal is not None:
        yield Failure(refusal)
        return
    with tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        ray = _import_ray(Path(folder), is_local=not address)
        if ray.is_initialized():
            yield Success(Cluster(ray))
            return
        cluster = (
            _join_cluster(ray, address) if address else _start_cluster(ray, folder, processors)
        )
        try:
            yield cluster
        finally:
            if isinstance(cluster, Success) or not address:
                ray.shutdown()


def explain_unreachable_cluster(address: str) -> WebError | None:
    """Return why there can be no cluster, or None, without importing Ray."""
    if find_spec(ENGINE_NAME) is None:
        remedy = "Run: pip install 'webseam[bulk,ray]'"
        return NotConfigured(reason="Ray is not installed here", remedy=remedy)
    return None if address in {"", "auto"} else _explain_unreachable_address(address)


def _explain_unreachable_address(address: str) -> WebError | None:
    """Return why an address is unreachable; Ray would try a minute and end the process."""
    host, _, port = address.rpartition(":")
    number = parse_whole_number(port)
    if not host or number is None or "/" in address:
        reason = f"{address!r} is not a cluster address: use ray:HOST:PORT, ray:auto or ray"
        return InvalidQuery(field="--engine", reason=reason)
    try:
        socket.create_connection((host.strip("[]"), number), CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or "no answer").lower()
        return NotConfigured(
            reason=f"No Ray cluster is at {address}: {reason}",
            remedy="Begin one there with: ray start --head",
        )
    return None


def _import_ray(folder: Path, *, is_local: bool) -> Any:
    for name, value in {**_RAY_VARIABLES, **(_LOOPBACK_VARIABLES if is_local else {})}.items():
        os.environ.setdefault(name, value)
    if is_local and "RAY_AUTH_MODE" not in os.environ:
        # Ray would write its token to the home folder, readable by everyone.
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(os.urandom(32).hex())
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(token))
    return import_module(ENGINE_NAME)


def _start_cluster(ray: Any, folder: str, processors: int) -> Result[Cluster, WebError]:
    return _init_ray(
        ray,
        _LOCAL_ADDRESS,
        num_cpus=processors,
        include_dashboard=False,
        object_store_memory=_OBJECT_STORE_BYTES,
        _node_ip_address="127.0.0.1",
        _temp_dir=folder,
    )


def _join_cluster(ray: Any, address: str) -> Result[Cluster, WebError]:
    """Join a cluster within a time limit: Ray waits for minutes if another program listens."""
    outcomes: list[Result[Cluster, WebError]] = []
    thread = threading.Thread(target=lambda: outcomes.append(_init_ray(ray, address)), daemon=True)
    thread.start()
    thread.join(JOIN_SECONDS)
    if outcomes:
        return outcomes[0]
    reason = f"No Ray cluster answered at {address} within {JOIN_SECONDS:.0f} seconds"
    return Failure(NotConfigured(reason=reason, remedy="Look there with: ray status"))


def _init_ray(ray: Any, address: str, **more: object) -> Result[Cluster, WebError]:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **more)
    # RuntimeError means another version than the cluster's; a node that does not start within Ray's
    # own 30 seconds raises a bare Exception.
    except Exception as error:  # noqa: BLE001  any error means no cluster
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = f"No Ray cluster can be used: {lines[0].rstrip('.')[:300]}"
        remedy = _START_REMEDY if address == _LOCAL_ADDRESS else _JOIN_REMEDY
        return Failure(NotConfigured(reason=reason, remedy=remedy))
    return Success(Cluster(ray))


def _task_error(error: Any) -> WebError:
    cause = getattr(error, "cause", None)
    if isinstance(cause, ImportError):
        remedy = "Run on every node: pip install 'webseam[bulk,ray]'"
        return NotConfigured(reason="A node of the cluster has no webseam", remedy=remedy)
    return BackendCrashed(backend=ENGINE_NAME, error=type(cause or error).__name__)
