"""``policy.follow: seen`` behind the gateway: each key and session id follows what it was shown."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.http_desk import HttpDesk, request
from tests.features.gateway.keys import bearer_of_new_key
from tests.features.gateway.samples import PLAYED, send
from webseam.adapters.features.gateway.dialects.anthropic.messages_history import (
    Turn,
    read_history,
)
from webseam.adapters.features.gateway.replies import Refusal
from webseam.composition.features.gateway.model_conversations import conversation_memory
from webseam.composition.features.gateway.request_heads import RequestHead
from webseam.composition.features.gateway.workers import WorkerTeam
from webseam.composition.features.testing.fakes import FakeBackend

from .asgi import ROWS, Site
from .samples import SAMPLES, TEXT

ROW = ROWS[0]["url"]


def seen_site(home: Path, mode: str = "seen") -> tuple[Site, FakeBackend]:
    (home / "config.yaml").write_text(f"policy: {{follow: {mode}}}\n")
    backend = FakeBackend(ROWS, TEXT)
    return Site(home, backend), backend


def status(site: Site, url: str = ROW, **headers: str) -> int:
    return site.post("/api/extract", {"urls": [url]}, **headers).status


def test_a_session_is_a_key_and_a_session_id(tmp_path: Path) -> None:
    site, backend = seen_site(tmp_path)
    ann, ben = bearer_of_new_key(site, "ann"), bearer_of_new_key(site, "ben")

    refused = site.post("/api/extract", {"urls": [ROW]}, authorization=ann)
    assert refused.json["failure"]["kind"] == "url_not_seen"
    site.post("/api/search", {"query": "tides"}, authorization=ann, x_session_id="one")

    assert status(site, authorization=ann, x_session_id="one") == 200
    assert status(site, f"{ROW}?d=secret", authorization=ann, x_session_id="one") == 403
    assert status(site, authorization=ann, x_session_id="two") == 403
    assert status(site, authorization=ben, x_session_id="one") == 403
    assert backend.extracted == [ROW]


def test_a_session_outlives_a_reload(tmp_path: Path) -> None:
    site, _ = seen_site(tmp_path)

    async def reload() -> None:
        await site.gateway.reload()

    site.post("/api/search", {"query": "tides"})
    asyncio.run(reload())

    assert status(site) == 200


@pytest.mark.parametrize("mode", ["seen", "cache"])
def test_no_dialect_reads_a_page_that_its_caller_was_not_shown(tmp_path: Path, mode: str) -> None:
    shown = {str(row["url"]) for row in ROWS} if mode == "seen" else set()
    for number, (name, sample) in enumerate(PLAYED):
        home = tmp_path / str(number)
        home.mkdir()
        site, backend = seen_site(home, mode)
        send(site, f"/{name}", sample)
        assert {*backend.extracted} <= shown, (name, sample.path)
        assert mode == "seen" or backend.searched == [], (name, sample.path)
    assert {name for name, _ in PLAYED} == {*SAMPLES}


def test_a_conversation_shows_what_the_model_did_not_write() -> None:
    memory = conversation_memory(
        [
            {"role": "user", "content": [{"type": "text", "text": "Read https://a.example/\nnow"}]},
            {"role": "tool", "content": "https://b.example/x"},
            {"role": "assistant", "content": "https://evil.example/?d=secret"},
        ]
    )

    urls = ("https://a.example", "https://b.example/x", "https://evil.example/?d=secret")
    assert [url in memory.urls for url in urls] == [True, True, False]


EVIL = "https://evil.example/?d=s3cr3t"


@pytest.mark.parametrize(
    "model",
    [
        {"content": f"I call {EVIL} now"},
        {"content": None, "tool_calls": [{"id": "1", "function": {"arguments": '{"q": "%s"}'}}]},
        {"content": "", "provider_data": {"reasoning_details": [{"thinking": EVIL}]}},
        {"content": "evil.example/?d=s3<b></b>cr3t"},
    ],
)
@pytest.mark.parametrize("found", [{}, {"u": (EVIL, ROW)}])
def test_conversation_does_not_show_what_the_model_named_first(
    model: dict[str, object], found: dict[str, tuple[str, ...]]
) -> None:
    written = json.loads(json.dumps(model).replace("%s", EVIL.replace("/", "\\\\/")))
    result = f"[1] Row {EVIL}\n{ROW}\nsays {EVIL}"
    messages = [
        {"role": "assistant", **written},
        {"role": "tool", "tool_call_id": "u", "content": result},
        {"role": "tool", "content": [{"type": "text", "text": EVIL}]},
    ]

    memory = conversation_memory(messages, found)

    assert (EVIL in memory.urls, ROW in memory.urls) == (False, True)


def test_conversation_shows_what_stood_in_it_before_the_model_named_it() -> None:
    said = {"role": "assistant", "content": f"I read {EVIL}"}

    for role in ("user", "system", "tool"):
        assert EVIL in conversation_memory([{"role": role, "content": EVIL}, said]).urls


def test_rows_of_earlier_turns_show_only_their_own_urls() -> None:
    packed = base64.b64encode(b"or https://moon.example/").decode()
    row = {"url": ROW, "title": "https://sun.example/", "encrypted_content": packed}
    turns = [
        Turn(
            role="assistant",
            content=[
                {
                    "type": "server_tool_use",
                    "id": "u",
                    "name": "web_search",
                    "input": {"query": "q"},
                },
                {"type": "web_search_tool_result", "tool_use_id": "u", "content": [row]},
            ],
        )
    ]

    history = read_history(None, turns)

    assert not isinstance(history, Refusal)
    memory = conversation_memory(history.messages, history.found)
    urls = (ROW, "https://moon.example/", "https://sun.example/")
    assert [url in memory.urls for url in urls] == [True, False, False]


def test_the_calls_of_a_session_go_to_one_worker() -> None:
    def port(session: str, number: int) -> int | None:
        team = WorkerTeam(number=number, ports=(1, 2, 3), secret="s")
        headers = {"x-session-id": session}
        head = RequestHead(
            method="POST", path="/api/search", search="", headers=headers, peer="", scheme="http"
        )
        return team.worker_port(head)

    for session in map(str, range(20)):
        ports = [port(session, number) for number in range(3)]
        assert ports.count(None) == 1
        assert {*ports} == {None, ports.index(None) + 1}


def test_sessions_of_mcp_clients_are_apart(tmp_path: Path) -> None:
    async def work() -> list[bool]:
        desk = HttpDesk(tmp_path, FakeBackend(ROWS, TEXT), "policy: {follow: seen}\n")

        async def call(name: str, **arguments: Any) -> bool:  # noqa: ANN401  of a tool
            params = {"name": name, "arguments": arguments}
            answer = await desk.post(request("tools/call", params)).ended()
            return b'"isError":true' in answer.body

        await desk.begin()
        failed = [await call("web_extract", urls=[ROW]), await call("web_search", query="tides")]
        failed.append(await call("web_extract", urls=[ROW]))
        desk.session = ""
        await desk.begin()
        failed.append(await call("web_extract", urls=[ROW]))
        await desk.aclose()
        return failed

    assert asyncio.run(work()) == [True, False, False, True]
