"""Which compressor the settings and the command line give, over a loopback model."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.choosing.support import root
from tests.doors.cli.run import Ran, webseam
from tests.services.imitation import Imitation, Request
from webseam import open_toolbox
from webseam.composition.features.models.api import open_compressor
from webseam.ports import NotConfigured, UnknownProvider

URL = "https://tides.example/today"
PAGE = {"url": URL, "title": "Tides", "content": "The tide is high at 04:12.\n\n" * 300}
SAID = {"choices": [{"finish_reason": "stop", "message": {"content": "High at 04:12."}}]}


def run(*arguments: str, **environment: str) -> tuple[Ran, list[Request]]:
    """Extract one page over a server that gives the page, and then a model's answer."""

    async def play() -> tuple[Ran, list[Request]]:
        replies: list[dict[str, Any]] = [{"body": PAGE}, {"body": SAID}]
        async with Imitation(replies).running() as server:
            given = {"CUSTOM_BASE_URL": f"{server.base_url}/v1", **environment}
            command = ("extract", URL, "--endpoint", f"{server.base_url}/extract", "--no-cache")
            ran = await asyncio.to_thread(webseam, *command, *arguments, **given)
            return ran, server.requests

    return asyncio.run(play())


def test_extract_compresses_with_the_model_that_is_set() -> None:
    settings = {"WEBSEAM_COMPRESSOR": "model", "WEBSEAM_COMPRESSOR_PROVIDER": "custom"}

    ran, requests = run(
        "--focus", "When is it high?", **settings, WEBSEAM_COMPRESSOR_MODEL="small-1"
    )

    assert (ran.code, ran.err) == (0, "")
    assert "High at 04:12." in ran.out
    body = json.loads(requests[1].body)
    assert body["model"] == "small-1"
    assert "When is it high?" in body["messages"][0]["content"]


def test_a_compressor_without_a_model_asks_none() -> None:
    ran, requests = run(WEBSEAM_COMPRESSOR="extractive")

    assert ran.code == 0
    assert len(requests) == 1


def test_a_model_without_a_provider_says_what_to_set() -> None:
    ran, requests = run(WEBSEAM_COMPRESSOR="model")

    assert ran.code != 0
    assert "compressor.provider" in ran.err
    assert requests == []


def test_none_is_the_default(tmp_path: Path) -> None:
    assert open_compressor(root(tmp_path).settings).unwrap().compressor is None


def test_the_providers_own_small_model_is_used_where_none_is_named(tmp_path: Path) -> None:
    text = "compressor: {kind: model, provider: openai}\n"

    opened = open_compressor(root(tmp_path, text, OPENAI_API_KEY="sk-0123456789").settings).unwrap()

    assert opened.compressor is not None
    asyncio.run(opened.aclose())


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("compressor: {kind: model, provider: custom}\n", NotConfigured, "compressor.model"),
        ("compressor: {kind: model, provider: nobody}\n", UnknownProvider, "nobody"),
        ("compressor: {kind: model, provider: openai}\n", NotConfigured, "OPENAI_API_KEY"),
    ],
)
def test_missing_compressor_setting_is_named(
    tmp_path: Path, text: str, error: type, says: str
) -> None:
    failed = open_compressor(root(tmp_path, text).settings).failure()

    assert isinstance(failed, error)
    assert says in failed.message


def test_the_toolbox_says_what_its_compressor_lacks(tmp_path: Path) -> None:
    async def call() -> dict[str, Any]:
        environment = {"WEBSEAM_CONFIG": str(tmp_path / "none.yaml"), "WEBSEAM_COMPRESSOR": "model"}
        async with open_toolbox({**environment, "WEBSEAM_CACHE_ENABLED": "no"}).unwrap() as box:
            document: dict[str, Any] = json.loads(
                await box.tools.call("web_extract", {"urls": [URL]})
            )
            return document

    assert "compressor.provider" in asyncio.run(call())["error"]


def test_the_toolbox_lets_go_of_its_compressor(tmp_path: Path) -> None:
    async def use() -> None:
        environment = {
            "WEBSEAM_CONFIG": str(tmp_path / "none.yaml"),
            "WEBSEAM_CACHE_ENABLED": "no",
            "WEBSEAM_COMPRESSOR": "model",
            "WEBSEAM_COMPRESSOR_PROVIDER": "openai",
            "OPENAI_API_KEY": "sk-0123456789",
        }
        async with open_toolbox(environment).unwrap() as box:
            assert box.broken == ()

    asyncio.run(use())
