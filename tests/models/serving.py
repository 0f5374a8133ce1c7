"""A server of models on this machine, for callers that have no event loop: it says what it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec


class Serving:
    """What was asked, and what is answered: JSON, or events where a stream is asked for."""

    def __init__(self, answer: object, events: list[object], status: int = 200) -> None:
        self.answer = answer
        self.events = events
        self.status = status
        self.asked: list[Any] = []
        self.url = ""


@contextmanager
def serving(answer: object, *events: object, status: int = 200) -> Iterator[Serving]:
    served = Serving(answer, list(events), status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = msgspec.json.decode(self.rfile.read(int(self.headers["content-length"])))
            served.asked.append(body)
            streamed = body.get("stream", False)
            content = b"".join(map(_event, served.events)) if streamed else msgspec.json.encode(served.answer)  # fmt: skip
            self.send_response(served.status)
            self.send_header(
                "content-type", "text/event-stream" if streamed else "application/json"
            )
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _event(payload: object) -> bytes:
    data = payload.encode() if isinstance(payload, str) else msgspec.json.encode(payload)
    return b"data: " + data + b"\n\n"
