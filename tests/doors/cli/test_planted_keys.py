"""Keys planted everywhere, and a folder that wants them; none leaves, by processes over sockets."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.surroundings import STARTING
from webseam.composition.settings.vendors import FOLDER

PLANTED = "planted-7f3a9c"
# Several commands in one process, each as a user types it.
DRIVER = """
import sys
from webseam.composition.doors.cli import main
for line in sys.stdin:
    try:
        main(line.split())
    except SystemExit:
        pass
"""
CONFIG = f"""\
web:
  custom_api_key: {PLANTED}
x_search: {{retries: 0}}
webseam:
  render: {{mode: auto, browser: '${{CHROME}}'}}
  services:
    json: {{api_key: {PLANTED}}}
  json:
    corp:
      endpoint: https://search.corp.invalid/find
      auth: none
      headers: {{X-Corp: {PLANTED}}}
      parameters: {{q: '{{query}}', team: {PLANTED}}}
  providers:
    openai: {{headers: {{x-team: {PLANTED}}}}}
"""
SERVICES = ("tavily", "firecrawl", "searxng", "corp", "json", "custom")
COMMANDS = (
    *(f"search tides --no-cache --backend {name}" for name in SERVICES),
    "search tides --no-cache",
    "extract https://example.invalid/ --render always",
    *(f"model ask hello --model m --provider {name}" for name in ("custom", "vertex", "azure")),
    "x tides",
    "plugins list",
)


class Ear:
    """A server on this machine that writes down whatever it is sent, and refuses it."""

    def __init__(self) -> None:
        heard: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                line = self.rfile.readline(65_536)
                if line:
                    self.raw_requestline = line
                    self.parse_request()
                    length = int(self.headers.get("content-length") or 0)
                    body = self.rfile.read(length)
                    heard.append(f"{self.requestline}\n{self.headers}\n{body!r}")
                    self.send_error(403)
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.heard = heard
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def ears() -> Iterator[tuple[Ear, Ear]]:
    """Give the folder's server, and the user's own proxy, behind which there is no network."""
    both = (Ear(), Ear())
    yield both
    for one in both:
        one.close()


def hostile_dotenv(folder: Path, url: str) -> str:
    """Name the folder's server and the folder's programs wherever a name may be given."""
    ours = ("CORP_BASE_URL", "JSON_SEARCH_URL", "TAVILY_BASE_URL", "PROXY", "POLICY_PROXY")
    names = (*sorted(FOLDER.awaited - FOLDER.keys), *(f"WEBSEAM_{name}" for name in ours))
    program = folder / "program.sh"
    others = (
        f"WEBSEAM_RENDER_BROWSER={program}\nWEBSEAM_RENDER_MODE=always\nCHROME={program}\n"
        f"WEBSEAM_PLUGINS_FOLDER={folder}\nWEBSEAM_PLUGINS_ENABLED=evil\n"
        f"WEBSEAM_POLICY_ALLOW_PRIVATE=127.0.0.0/8\nWEBSEAM_TRUST_FOLDER=1\n"
    )
    return others + "".join(f"{name}={url}\n" for name in names)


class Desk:
    """A user's home, keys in their environment, and the project that they stand in."""

    def __init__(self, root: Path, folder_url: str, proxy_url: str) -> None:
        home, self.project = root / "home", root / "project"
        (home / ".config/webseam").mkdir(parents=True)
        config = home / ".config/webseam/config.yaml"
        config.write_text(CONFIG)
        config.chmod(0o600)
        self.project.mkdir()
        mark = f"touch {self.project / 'ran'}"
        (self.project / "program.sh").write_text(f"#!/bin/sh\n{mark}\n")
        (self.project / "program.sh").chmod(0o755)
        (self.project / "evil.py").write_text(f"import os\nos.system({mark!r})\n")
        (self.project / ".env").write_text(hostile_dotenv(self.project, folder_url))
        keys = dict.fromkeys(
            (*FOLDER.keys, *(name for name in FOLDER.awaited if name.endswith("_KEY"))), PLANTED
        )
        tokens = dict.fromkeys(("VERTEX_ACCESS_TOKEN", "FOURGET_PASS"), PLANTED)
        proxies = {"HTTPS_PROXY": proxy_url, "WEBSEAM_POLICY_PROXY": proxy_url}
        self.environment = {**STARTING, **keys, **tokens, **proxies, "HOME": str(home), "PATH": ""}

    def run(self, *commands: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-c", DRIVER],
            input="\n".join(commands),
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def test_no_planted_key_leaves(tmp_path: Path, ears: tuple[Ear, Ear]) -> None:
    folder, proxy = ears
    desk = Desk(tmp_path, folder.url, proxy.url)

    ran = desk.run(*COMMANDS)

    assert folder.heard == [], ran.stderr
    assert not (desk.project / "ran").exists()
    # Behind the user's own proxy everything is asked for by its official name, and still sealed.
    assert proxy.heard
    assert all(one.startswith("CONNECT ") for one in proxy.heard), proxy.heard
    assert PLANTED not in "".join(proxy.heard) + ran.stdout + ran.stderr
    assert ran.stderr.count("needs your yes first; left out:") >= len(COMMANDS) - 1


def test_after_a_yes_the_folder_is_believed(tmp_path: Path, ears: tuple[Ear, Ear]) -> None:
    folder, proxy = ears
    desk = Desk(tmp_path, folder.url, proxy.url)

    (desk.project / ".env").write_text(f"TAVILY_BASE_URL={folder.url}\n")

    ran = desk.run("trust --yes", "search tides --no-cache --backend tavily")

    assert "Trusted: .env in" in ran.stdout
    assert PLANTED in "".join(folder.heard)
