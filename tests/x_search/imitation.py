"""xAI on a socket of this machine, as far as chaining goes: it knows only what it stored."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from tests.x_search.serving import reply

NOT_TOGETHER = "Argument not supported: instructions and previous_response_id together"


class Imitation:
    """Answers, keeps what it is told to keep, and refuses to go on from anything else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.more: dict[str, Any] = {}
        self.kept: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append(body)
        previous = body.get("previous_response_id")
        if previous is not None and "instructions" in body:
            return 400, {"code": "400", "error": NOT_TOGETHER}
        if previous is not None and previous not in self.kept:
            return 404, {"code": "404", "error": f"there is no response {previous}"}
        name = f"response-{len(self.asked)}"
        if body["store"]:
            self.kept.append(name)
        return 200, reply(self.text.replace("#", str(len(self.asked))), id=name, **self.more)


@contextmanager
def imitation(text: str = "Answer #.") -> Iterator[Imitation]:
    xai = Imitation(text)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body_sent = self.rfile.read(int(self.headers["content-length"]))
            status, words = xai.answer(msgspec.json.decode(body_sent))
            content = msgspec.json.encode(words)
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    xai.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield xai
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
