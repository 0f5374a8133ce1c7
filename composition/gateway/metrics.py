"""Metrics of the gateway for Prometheus.

https://prometheus.io/docs/instrumenting/exposition_formats/ (read 2026-11-15)
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...ports.attempts import BackendAttempt

LATENCY_BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
_METRIC_HELP = {
    "webseam_requests_total": "Requests that were answered, by dialect, route and status.",
    "webseam_failures_total": "Calls without an answer, by the kind of the failure.",
    "webseam_attempts_total": "Calls to backends, by what came of them.",
    "webseam_cached_total": "Answers that came from the cache.",
    "webseam_loop_stalls_total": "How often the event loop stood still.",
    "webseam_loop_stalled_seconds_total": "How long the event loop stood still.",
    "webseam_spent_dollars_total": "What calls to backends cost, as far as prices are known.",
}
_STALL_SERIES = ("webseam_loop_stalls_total", "webseam_loop_stalled_seconds_total")


class GatewayMetrics:
    """Counters. No label comes from a caller, so the number of series stays small."""

    def __init__(self) -> None:
        """Start at zero."""
        self._counters: defaultdict[tuple[str, tuple[tuple[str, str], ...]], float]
        self._counters = defaultdict(int, {(name, ()): 0 for name in _STALL_SERIES})
        self._spent: dict[str, float] = {}
        self._buckets = [0] * (len(LATENCY_BUCKETS) + 1)
        self._seconds = 0.0

    def count_request(self, dialect: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        labels = (("dialect", dialect), ("route", route), ("status", str(status)))
        self._counters["webseam_requests_total", labels] += 1
        index = next(
            (position for position, bound in enumerate(LATENCY_BUCKETS) if seconds <= bound),
            len(LATENCY_BUCKETS),
        )
        self._buckets[index] += 1
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

    def count_source(self, *, cached: bool, attempts: Sequence[BackendAttempt]) -> None:
        """Count where an answer came from, and what it cost."""
        if cached:
            self._counters["webseam_cached_total", ()] += 1
            return
        for attempt in attempts:
            labels = (("backend", attempt.backend), ("outcome", attempt.outcome))
            self._counters["webseam_attempts_total", labels] += 1
            self._spent[attempt.backend] = self._spent.get(attempt.backend, 0.0) + attempt.cost

    def metrics_text(self, gauges: Mapping[str, float]) -> str:
        """Return all metrics and ``gauges`` in the text format."""
        lines: list[str] = []
        for name, help_text in _METRIC_HELP.items():
            lines += [f"# HELP {name} {help_text}", f"# TYPE {name} counter"]
            lines += [
                f"{name}{_metric_labels(labels)} {count:.10g}"
                for (series, labels), count in sorted(self._counters.items())
                if series == name
            ]
            if name == "webseam_spent_dollars_total":
                lines += [
                    f"{name}{_metric_labels((('backend', backend),))} {spent:.6f}"
                    for backend, spent in sorted(self._spent.items())
                ]
        lines += self._latency_histogram()
        for name, value in gauges.items():
            lines += [f"# TYPE webseam_{name} gauge", f"webseam_{name} {value:g}"]
        return "\n".join(lines) + "\n"

    def _latency_histogram(self) -> list[str]:
        name, total = "webseam_request_seconds", 0
        lines = [f"# HELP {name} How long requests took.", f"# TYPE {name} histogram"]
        for bound, count in zip((*map(str, LATENCY_BUCKETS), "+Inf"), self._buckets, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]


def sum_gateway_metrics(texts: Sequence[str]) -> str:
    r"""Return the metrics of several processes with each series added up.

    >>> sum_gateway_metrics(['# TYPE a counter\na{b="c"} 1\n', 'a{b="c"} 2\nd 1\n'])
    '# TYPE a counter\na{b="c"} 3\nd 1\n'
    """
    values: dict[str, float] = {}
    for line in (line for text in texts for line in text.splitlines() if line):
        series, _, number = line.rpartition(" ")
        # Comment lines are the same in all texts, so keep each once.
        comment = line.startswith("#")
        values[line if comment else series] = (
            0.0 if comment else values.get(series, 0.0) + float(number)
        )
    return "".join(
        f"{name}\n" if name.startswith("#") else f"{name} {value:.10g}\n"
        for name, value in values.items()
    )


def _metric_labels(labels: Sequence[tuple[str, str]]) -> str:
    pairs = ",".join(f'{name}="{_escape_metric_label(value)}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def _escape_metric_label(value: str) -> str:
    r"""Escape a label of the Prometheus text format.

    >>> print(_escape_metric_label('a "b"\nc'))
    a \"b\"\nc
    """
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
