"""A model on loopback for Hermes to talk to: it calls the tools it was told to, then is done."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, dict[str, object]]


class PretendModel(ThreadingHTTPServer):
    """Answers a chat with one call after the other; ``results`` are what Hermes sent back."""

    def __init__(self, calls: Sequence[Call]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.calls = calls
        self.results: list[str] = []
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, object], str]:
        """Return the next message, and why it ends there."""
        results = [each["content"] for each in request["messages"] if each["role"] == "tool"]
        if not request.get("tools") or len(results) >= len(self.calls):
            self.results = results or self.results
            return {"content": "Done."}, "stop"
        name, args = self.calls[len(results)]
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}
        return {"tool_calls": [call]}, "tool_calls"


class _Handler(BaseHTTPRequestHandler):
    server: PretendModel

    def do_GET(self) -> None:
        self._say("application/json", {"object": "list", "data": [{"id": "pretend"}]})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((headers, request))
        message, end = self.server.answer(request)
        whole = {"role": "assistant", "content": None, **message}
        part = "delta" if request.get("stream") else "message"
        choice = {"index": 0, part: whole, "finish_reason": end}
        answer = {"id": "a", "object": "chat.completion", "model": "pretend", "choices": [choice]}
        self._say("text/event-stream" if request.get("stream") else "application/json", answer)

    def _say(self, kind: str, answer: Mapping[str, object]) -> None:
        text = json.dumps(answer)
        streamed = kind == "text/event-stream"
        body = (f"data: {text}\n\ndata: [DONE]\n\n" if streamed else text).encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def pretend_model(*calls: Call) -> Iterator[PretendModel]:
    """Serve until the end of the ``with``."""
    with PretendModel(calls) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
