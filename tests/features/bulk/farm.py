"""Sites on this machine that remember who asked for what, and when."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.features.bulk.samples import html, rows
from webseam.composition.doors.cli import main
from webseam.kernel.policy.policy_rules import Policy, PolicySettings, make_policy


class Answer(NamedTuple):
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


class Asked(NamedTuple):
    path: str
    began: float
    ended: float
    headers: Mapping[str, str]


class Site:
    def __init__(self, pages: Mapping[str, Answer | list[Answer]]) -> None:
        self.pages = {
            path: list(each) if isinstance(each, list) else [each] for path, each in pages.items()
        }
        self.asked: list[Asked] = []
        self.port = 0

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        return [each.path for each in self.asked]

    def answer(self, path: str, headers: Mapping[str, str]) -> Answer:
        answers = self.pages.get(path, [Answer(404)])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        tag = answer.headers.get("ETag")
        is_known = tag and headers.get("If-None-Match") == tag
        return Answer(304, headers=answer.headers) if is_known else answer


@contextmanager
def sites(*wanted: Site) -> Iterator[None]:
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler(site)) for site in wanted]
    for site, server in zip(wanted, servers, strict=True):
        site.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            began = time.monotonic()
            answer = site.answer(self.path, dict(self.headers))
            body = answer.body.replace(b"ROOT", site.root.encode())
            self.send_response(answer.status)
            for name, value in {"Content-Type": "text/html", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            # Noted before the last byte, so that whoever was answered finds it here.
            site.asked.append(Asked(self.path, began, time.monotonic(), dict(self.headers)))
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def page(title: str, *links: str) -> Answer:
    anchors = "".join(
        f'<p>See also <a href="{link}">{link} and what it says</a>.</p>' for link in links
    )
    return Answer(body=html(title).replace(b"</article>", anchors.encode() + b"</article>"))


def text(body: str, **headers: str) -> Answer:
    return Answer(body=body.encode(), headers={"Content-Type": "text/plain", **headers})


def local_policy(*open_sites: Site) -> Policy:
    entries = tuple(f"127.0.0.1/32:{site.port}" for site in open_sites)
    return make_policy(PolicySettings(allow_private=entries)).unwrap()


XML = {"Content-Type": "application/xml"}


def crawl(
    site: Site, out: Path, monkeypatch: pytest.MonkeyPatch, *words: str, command: str = "crawl"
) -> int:
    """Run the command with the site's port open, as its settings would have it."""
    policy = f"['127.0.0.1/32:{site.port}']"
    config = out.parent / "config.yaml"
    config.write_text(f"policy:\n  allow_private: {policy}\n")
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))
    target = ["-o", str(out), "--workers", "1"] if command == "crawl" else []
    return main([command, f"{site.root}/", *target, "--delay", "0", *words])


def own(answer: Answer, address: str) -> Answer:
    link = f'<link rel="canonical" href="{address}">'.encode()
    return answer._replace(body=answer.body.replace(b"</head>", link + b"</head>", 1))


def same_pages(site: Site, out: Path) -> dict[str, str | None]:
    def plain(url: object) -> str:
        return str(url).removeprefix(site.root)

    marks = {}
    for row in rows(out):
        mark = json.loads(str(row["metadata"])).get("same_page")
        marks[plain(row["url"])] = None if mark is None else plain(mark)
    return marks


def linked(answer: Answer, **headers: str) -> Answer:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer._replace(headers=names)


def meta(answer: Answer, name: str, content: str) -> Answer:
    tag = f'<meta name="{name}" content="{content}">'.encode()
    return answer._replace(body=answer.body.replace(b"<head>", b"<head>" + tag, 1))
