"""What it saves to make httpx's parts late: ``python -m benchmarks.late_parts``.

A service's request is httpx's own for whoever looks at it, but its URL and headers are only made
then; its bytes are ready before. Processor time, the best of many rounds, beside a plain request.
"""

import sys
import time
from collections.abc import Callable

import httpx

from webseam.adapters.http.request_writing import (
    WrittenRequest,
    serialise_request,
    write_request_head,
)

ROUNDS, CALLS = 30, 2000
URL = httpx.URL("https://api.example/v1/search")
HEADERS = [
    ("host", "api.example"),
    ("accept", "application/json"),
    ("accept-encoding", "gzip, deflate"),
    ("user-agent", "webseam"),
    ("authorization", "Bearer 0123456789"),
    ("content-type", "application/json"),
]
BODY = b'{"query": "tides", "max_results": 10}'
REQUEST_HEAD = write_request_head("POST", URL, HEADERS)


def make_written_request() -> object:
    """Make a request of ours, and its bytes."""
    return WrittenRequest(REQUEST_HEAD, BODY).ready()


def plain_request() -> object:
    """Make a request of httpx, and its bytes."""
    return serialise_request(httpx.Request("POST", URL, headers=HEADERS, content=BODY), BODY)


def microseconds(make: Callable[[], object]) -> float:
    """Return the processor time of one call, in the best round."""
    return min(_round(make) for _ in range(ROUNDS)) / CALLS * 1e6


def _round(make: Callable[[], object]) -> float:
    begin = time.process_time()
    for _ in range(CALLS):
        make()
    return time.process_time() - begin


if __name__ == "__main__":
    for case in (make_written_request, plain_request):
        sys.stdout.write(f"{case.__name__:16} {microseconds(case):6.1f} us\n")
