"""A server that sends back parts of our key: the command shows none of them."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest

from tests.doors.cli.run import webseam

KEY = "sk-4fK+9aQ/x7Lm2pZc8RtY0uW"
PARTS = (
    KEY[:16],
    KEY[-8:],
    quote(KEY[:14], safe=""),
    KEY[4:16].encode().hex(),
    base64.b64encode(f"me:{KEY}".encode()).decode()[8:],
)


@pytest.fixture
def gossip() -> Iterator[str]:
    said = json.dumps({"error": {"message": f"wrong key: {' or '.join(PARTS)}"}}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "command",
    [
        ("search", "tides", "--backend", "json"),
        ("search", "tides", "--backend", "json", "--json"),
        ("model", "ask", "hello", "--provider", "openai", "--model", "m"),
    ],
    ids=" ".join,
)
def test_no_part_of_a_key_is_shown(gossip: str, command: tuple[str, ...]) -> None:
    ran = webseam(
        *command,
        WEBSEAM_JSON_API_KEY=KEY,
        WEBSEAM_JSON_SEARCH_URL=gossip,
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=gossip,
    )

    assert ran.code == 3
    assert "wrong key: *** or ***" in ran.out + ran.err
    assert not any(part[:12] in ran.out + ran.err for part in PARTS)
