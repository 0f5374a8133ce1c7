"""Metrics of the gateway for Prometheus.

https://prometheus.io/docs/instrumenting/exposition_formats/ (read 2026-11-15)
"""

from __future__ import annotations

import mmap
import platform
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from webseam.ports.attempts import BackendAttempt

LATENCY_BUCKET_SECONDS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
_HELP_TEXTS = {
    "webseam_requests_total": "Requests that were answered, by dialect, route and status.",
    "webseam_key_requests_total": "Requests of known callers, by the name of their key and status.",
    "webseam_failures_total": "Calls without an answer, by the kind of the failure.",
    "webseam_attempts_total": "Calls to backends, by what came of them.",
    "webseam_cached_total": "Answers that came from the cache.",
    "webseam_loop_stalls_total": "How often the event loop stood still.",
    "webseam_loop_stalled_seconds_total": "How long the event loop stood still.",
    "webseam_spent_dollars_total": "What calls to backends cost, as far as prices are known.",
    "webseam_key_spent_dollars_total": "What calls of known callers cost, by their key.",
}
_START_TIME = time.time()
_STALL_SERIES = ("webseam_loop_stalls_total", "webseam_loop_stalled_seconds_total")
# These are the same in every worker, or cannot be added.
_UNSUMMED_SERIES = ("webseam_build_info", "process_start_time_seconds")


class GatewayMetrics:
    """Counters. No label comes from a caller, so the number of series stays small."""

    def __init__(self) -> None:
        self._counters: defaultdict[tuple[str, tuple[tuple[str, str], ...]], float]
        self._counters = defaultdict(int, {(name, ()): 0 for name in _STALL_SERIES})
        self._spent: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self._buckets = [0] * (len(LATENCY_BUCKET_SECONDS) + 1)
        self._seconds = 0.0

    def count_request(
        self, dialect: str, route: str, status: int, seconds: float, key: str = ""
    ) -> None:
        """Count one request; ``key`` is the name that the owner gave the caller's key."""
        labels = (("dialect", dialect), ("route", route), ("status", str(status)))
        self._counters["webseam_requests_total", labels] += 1
        if key:
            key_labels = (("key", key), ("status", str(status)))
            self._counters["webseam_key_requests_total", key_labels] += 1
        self._buckets[bisect_left(LATENCY_BUCKET_SECONDS, seconds)] += 1
        self._seconds += seconds

    @property
    def loop_stalls(self) -> int:
        """How often the event loop stood still."""
        return int(self._counters[_STALL_SERIES[0], ()])

    def count_stall(self, seconds: float) -> None:
        """Count a stall of the event loop."""
        for name, amount in zip(_STALL_SERIES, (1, seconds), strict=True):
            self._counters[name, ()] += amount

    def count_failure(self, kind: str) -> None:
        """Count a call without an answer."""
        self._counters["webseam_failures_total", (("kind", kind),)] += 1

    def count_source(
        self, *, cached: bool, attempts: Sequence[BackendAttempt], key: str = ""
    ) -> None:
        """Count where an answer came from, and what it cost the caller's key."""
        if cached:
            self._counters["webseam_cached_total", ()] += 1
            return
        for attempt in attempts:
            labels = (("backend", attempt.backend), ("outcome", attempt.outcome))
            self._counters["webseam_attempts_total", labels] += 1
            self._add_spent("webseam_spent_dollars_total", "backend", attempt.backend, attempt.cost)
            if key:
                self._add_spent("webseam_key_spent_dollars_total", "key", key, attempt.cost)

    def _add_spent(self, series: str, label: str, name: str, dollars: float | None) -> None:
        """Add dollars to a series, as far as they are known."""
        place = (series, ((label, name),))
        self._spent[place] = self._spent.get(place, 0.0) + (dollars or 0.0)

    def for_key(self, name: str) -> KeyMetrics:
        """Return what counts the calls of one key, which has a ``name`` unless it is the owner."""
        return KeyMetrics(self, name)

    def metrics_text(self, gauges: Mapping[str, float]) -> str:
        """Return all metrics and ``gauges`` in the text format."""
        lines: list[str] = []
        for name, help_text in _HELP_TEXTS.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} counter"]
            lines += [
                f"{name}{_format_labels(labels)} {count:.10g}"
                for (series, labels), count in sorted(self._counters.items())
                if series == name
            ]
            lines += [
                f"{name}{_format_labels(labels)} {spent:.6f}"
                for (series, labels), spent in sorted(self._spent.items())
                if series == name
            ]
        lines += self._latency_histogram()
        for name, value in gauges.items():
            lines += [f"# TYPE webseam_{name} gauge", f"webseam_{name} {value:g}"]
        return "\n".join([*lines, *_process_metrics()]) + "\n"

    def _latency_histogram(self) -> list[str]:
        name, total = "webseam_request_seconds", 0
        lines = [f"# HELP {name} How long requests took.", f"# TYPE {name} histogram"]
        for bound, count in zip(
            (*map(str, LATENCY_BUCKET_SECONDS), "+Inf"), self._buckets, strict=True
        ):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]


class KeyMetrics:
    """The counters, for the calls of one key."""

    def __init__(self, metrics: GatewayMetrics, key: str) -> None:
        self._metrics, self._key = metrics, key

    def count_failure(self, kind: str) -> None:
        """Count a call without an answer."""
        self._metrics.count_failure(kind)

    def count_source(self, *, cached: bool, attempts: Sequence[BackendAttempt]) -> None:
        """Count where an answer came from, and what it cost."""
        self._metrics.count_source(cached=cached, attempts=attempts, key=self._key)


def _process_metrics() -> list[str]:
    """Return what Prometheus's own clients tell of a process, and the version."""
    labels = (("version", version("webseam")), ("python", platform.python_version()))
    lines = ["# TYPE webseam_build_info gauge", f"webseam_build_info{_format_labels(labels)} 1"]
    values: dict[str, tuple[str, float]] = {
        "process_cpu_seconds_total": ("counter", time.process_time()),
        "process_start_time_seconds": ("gauge", _START_TIME),
    }
    # Other systems than Linux do not have these files.
    with suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        values["process_resident_memory_bytes"] = ("gauge", pages * mmap.PAGESIZE)
        values["process_open_fds"] = ("gauge", len(list(Path("/proc/self/fd").iterdir())))
    for name, (kind, value) in values.items():
        lines += [f"# TYPE {name} {kind}", f"{name} {value:.14g}"]
    return lines


def backend_health_metrics(states: Iterable[tuple[str, str, bool]]) -> str:
    """Return whether each backend is asked (1) or left alone (0); empty without any.

    A state is a backend, a task, and whether one of its keys is asked.
    """
    up: dict[tuple[str, str], bool] = {}
    for backend, task, is_asked in states:
        # A backend with several keys is up while one of them is.
        up[backend, task] = up.get((backend, task), False) or is_asked
    lines = [
        f"webseam_backend_up{_format_labels((('backend', backend), ('task', task)))} {value:d}"
        for (backend, task), value in sorted(up.items())
    ]
    head = "# HELP webseam_backend_up Whether a backend is asked, or left alone after failures."
    return "\n".join([head, "# TYPE webseam_backend_up gauge", *lines, ""]) if lines else ""


def sum_metrics(texts: Sequence[str]) -> str:
    r"""Return the metrics of several processes with each series added up.

    >>> sum_metrics(['# TYPE a counter\na{b="c"} 1\n', 'a{b="c"} 2\nd 1\n'])
    '# TYPE a counter\na{b="c"} 3\nd 1\n'
    """
    values: dict[str, float] = {}
    for line in (line for text in texts for line in text.splitlines() if line):
        series, _, number = line.rpartition(" ")
        # Comment lines are the same in all texts, so keep each once.
        comment = line.startswith("#")
        if series.startswith(_UNSUMMED_SERIES) and series in values:
            continue
        values[line if comment else series] = (
            0.0 if comment else values.get(series, 0.0) + float(number)
        )
    return "".join(
        f"{name}\n" if name.startswith("#") else f"{name} {value:.14g}\n"
        for name, value in values.items()
    )


def _format_labels(labels: Sequence[tuple[str, str]]) -> str:
    pairs = ",".join(f'{name}="{_escape_label(value)}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def _escape_label(value: str) -> str:
    r"""Escape a label of the Prometheus text format.

    >>> print(_escape_label('a "b"\nc'))
    a \"b\"\nc
    """
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
