"""xAI on this machine: a server that checks what it is sent, and the settings that lead to it."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
from returns.result import Result

from tests.services.imitation import Imitation
from tests.surroundings import NOWHERE
from webseam import WebError, XSearchOutcome, x_searcher
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.testing import ScriptedTransport

KEY = "xai-CANARY0123456789abcdef"
POST = "https://x.com/i/status/1990000000000000001"


def reply(text: str = "High tide.", /, **fields: object) -> dict[str, Any]:
    """Return a response as xAI writes it."""
    part = {"type": "output_text", "text": text, "logprobs": [], "annotations": []}
    return {
        "id": "8f0c3b1e-0000-4000-8000-2b6d0e5c1a77",
        "object": "response",
        "model": "grok-4.5",
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": [part]}],
        "citations": [POST],
        "usage": {"server_side_tool_usage_details": {"x_search_calls": 1}},
        **fields,
    }


def settings(config: Path = NOWHERE / "config.yaml", /, **environment: str) -> Settings:
    variables = {"WEBSEAM_CONFIG": str(config), "XAI_API_KEY": KEY, **environment}
    return load_settings(variables, folder=NOWHERE).unwrap()


def scripted(
    script: Sequence[httpx.Response | BaseException] | Callable[[httpx.Request], httpx.Response],
    *,
    chance: float = 0.0,
    **environment: str,
) -> tuple[Result[XSearchOutcome, WebError], list[httpx.Request]]:
    """Search over answers from a script; waits are as short as chance makes them."""
    transport = ScriptedTransport(script)
    client_made = x_searcher(settings(**environment), transport=transport, chance=lambda: chance)
    return asyncio.run(client_made.unwrap()({"query": "tides"})), transport.requests


async def _served(
    replies: Sequence[dict[str, Any]], requests: Sequence[object], environment: dict[str, str]
) -> tuple[list[Result[XSearchOutcome, WebError]], Imitation]:
    async with Imitation(replies).running() as server:
        base = {"XAI_BASE_URL": f"{server.base_url}/v1", **environment}
        searcher = x_searcher(settings(**base)).unwrap()
        answer_found = [await searcher(request) for request in requests]
        await searcher.aclose()
    return answer_found, server


def bodies(*requests: dict[str, object], **environment: str) -> list[dict[str, Any]]:
    """Return the JSON that went over a socket for each request, in order."""
    replies = [{"body": reply('{"handle": "a"}')} for _ in requests]
    queries = [{"query": "tides", **request} for request in requests]
    outcome, server = asyncio.run(_served(replies, queries, environment))

    assert all(isinstance(each.unwrap(), XSearchOutcome) for each in outcome)
    return [json.loads(request.body) for request in server.requests]


def exchange(*replies: dict[str, Any], **environment: str) -> tuple[Any, Imitation]:
    """Return what one search made of these replies, and the server that gave them."""
    outcome, server = asyncio.run(_served(replies, [{"query": "tides"}], environment))
    return outcome[0], server
