"""A search and extract API on loopback that has an answer to everything, for what examples ask."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec

ROWS = [
    {"title": "Tide tables", "url": "https://example.com/tides", "description": "High and low."}
]


class Handler(BaseHTTPRequestHandler):
    """Answers ``/search`` with a row, and ``/extract`` with a page for whatever URL is asked for."""

    def do_POST(self) -> None:
        document = msgspec.json.decode(self.rfile.read(int(self.headers["content-length"])))
        page = {"url": document.get("url"), "title": "Tides", "content": "High tide is at 04:12."}
        body = msgspec.json.encode({"results": ROWS} if self.path == "/search" else page)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def answering() -> Iterator[str]:
    """Serve in a thread; gives the address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
