"""One server on loopback with the search service, the pages and the model of the world."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from .facts import Fact, facts
from .models import MODELS
from .pages import BROKEN, KINDS, page

SEARCHES = ("naming", "inventing", "poisoned", "babbling", "broken", "empty")
_PIECE = 40


class World:
    """What the servers serve. ``model`` and ``search`` say how those two behave from now on."""

    def __init__(self) -> None:
        """Begin honestly."""
        self.facts = {fact.question: fact for fact in facts()}
        self.by_slug = {fact.slug: fact for fact in self.facts.values()}
        self.model = "honest"
        self.search = "naming"
        self.port = 0

    def url(self, path: str) -> str:
        """Return the address of a path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def fact_in(self, text: str) -> Fact:
        """Return the fact whose question a text holds."""
        return next(fact for question, fact in self.facts.items() if question in text)

    def rows(self, query: str) -> object:
        """Return what the search service answers; titles and snippets lie in any case."""
        fact = next((it for question, it in self.facts.items() if question in query), None)
        if fact is None or self.search == "empty":
            return {"results": []}
        # A page that breaks off is asked for again after a while: few of them are enough.
        kinds = [kind for kind in KINDS if kind != BROKEN or fact.slug == "alton-length"]
        paths = [f"/page/{fact.slug}/{kind}" for kind in kinds]
        if self.search == "inventing":
            paths = [f"/page/{fact.slug}/invented-{at}" for at in range(5)]
        urls = [self.url(path) for path in paths]
        if self.search == "poisoned":
            urls[1] = "javascript:alert(1)"
        return {
            "results": [
                {"url": url, "title": fact.lie, "snippet": f"Snippet: {fact.lie}"} for url in urls
            ]
        }

    def written(self, prompt: str) -> str:
        """Return what the model writes."""
        if "Write up to" in prompt:
            return json.dumps({"queries": ["other words", "a page that is not there"]})
        return MODELS[self.model](self.fact_in(prompt), prompt)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: two would wait for each other.
    wbufsize = -1
    world: World

    def do_GET(self) -> None:
        """Serve a page."""
        parts = urlsplit(self.path).path.split("/")
        fact = self.world.by_slug.get(parts[2]) if len(parts) == 4 else None
        if fact is None or parts[3] not in KINDS:
            self._send(404, b"<h1>Not found</h1>", "text/html")
        elif parts[3] == BROKEN:
            # Fewer bytes than were promised, and then nothing.
            self._send(200, b"<h1>The bri", "text/html", promised=5000)
        else:
            text = page(fact, parts[3])
            status = 404 if text is None else 200
            self._send(status, (text or "<h1>Gone</h1>").encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Search, or let the model write."""
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path.startswith("/search"):
            self._search(str(json.loads(body).get("query")))
        else:
            self._model(json.loads(body))

    def _search(self, query: str) -> None:
        if self.world.search == "broken":
            self._send(500, b"{}", "application/json")
        elif self.world.search == "babbling":
            self._send(200, b"<html>Please log in.</html>", "text/html")
        else:
            self._send(200, json.dumps(self.world.rows(query)).encode(), "application/json")

    def _model(self, body: dict[str, object]) -> None:
        messages = body["messages"]
        text = self.world.written("\n".join(each["content"] for each in messages))  # type: ignore[attr-defined]  # as chat messages are
        known = {"id": "1", "model": str(body["model"])}
        if not body.get("stream"):
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            document = json.dumps({**known, "choices": [choice]})
            self._send(200, document.encode(), "application/json")
            return
        pieces = [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
        deltas: list[tuple[dict[str, str], str | None]] = [({"content": it}, None) for it in pieces]
        deltas.append(({}, "stop"))
        events = [
            {**known, "choices": [{"index": 0, "delta": delta, "finish_reason": ending}]}
            for delta, ending in deltas
        ]
        lines = [f"data: {json.dumps(it)}\n\n" for it in events] + ["data: [DONE]\n\n"]
        self._send(200, "".join(lines).encode(), "text/event-stream")

    def _send(self, status: int, body: bytes, kind: str, promised: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body) if promised is None else promised))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = promised is not None

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_request: object) -> None:
        """Say nothing: clients may go when they have what they want."""


@contextmanager
def running_world() -> Iterator[World]:
    """Serve a world until the end of the ``with``."""
    world = World()
    handler = type("Handler", (_Handler,), {"world": world})
    with _Server(("127.0.0.1", 0), handler) as server:
        world.port = server.server_port
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield world
        finally:
            server.shutdown()
            thread.join()


def surroundings(world: World) -> dict[str, str]:
    """Return the settings of somebody who lives in the world."""
    return {
        "WEBSEAM_CONFIG": "none.yaml",
        "WEBSEAM_JSON_SEARCH_URL": world.url("/search"),
        "WEBSEAM_SEARCH_BACKEND": "json",
        "WEBSEAM_EXTRACT_BACKEND": "pages",
        "WEBSEAM_POLICY_ALLOW_PRIVATE": f"127.0.0.1/32:{world.port}",
        "WEBSEAM_CACHE_ENABLED": "false",
        "WEBSEAM_COMPRESSOR_KIND": "none",
        "WEBSEAM_KEYLESS": "false",
        "DEEPSEEK_API_KEY": "k",
        "DEEPSEEK_BASE_URL": world.url("/v1"),
    }


__all__ = ["SEARCHES", "World", "running_world", "surroundings"]
