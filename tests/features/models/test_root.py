"""What a model is opened from: the settings, and the environment, transport and money beside them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.features.models.clients import REQUEST, run
from webseam.composition.features.models.clients import open_model
from webseam.composition.features.models.model_routes import ModelRoute, open_model_route
from webseam.composition.features.models.relevance import open_embedder, open_reranker
from webseam.composition.features.models.search_model_rows import open_search_model
from webseam.composition.features.models.small_work_models import (
    open_small_work_model,
    picture_describer,
)
from webseam.composition.features.models.x_search_setup import open_x_search
from webseam.composition.settings.settings_root import SettingsRoot
from webseam.composition.wiring.compressors import open_compressor
from webseam.composition.wiring.root import read_settings_root
from webseam.kernel.planner.money import SpendingAllowance
from webseam.kernel.planner.routes import ModelStep
from webseam.ports.web import WebSearchQuery

CONFIG = """
providers:
  one: {base_url: "https://one.example/v1", model: m, api_key: k1, input_price: 1, output_price: 1}
compressor: {kind: model, provider: one, model: m}
small_work: {provider: one, model: m}
vision: {provider: one, model: m}
embeddings: {provider: one, model: m}
rerank: {provider: one, model: m}
x_search: {retries: 0, price: 0.5}
"""
ROUTE = ModelRoute(task="model", steps=(ModelStep("one"),))
PIXEL = b"\x89PNG\r\n\x1a\n" + b"\0" * 30


async def compress(root: SettingsRoot) -> None:
    compressor = open_compressor(root).unwrap().compressor
    assert compressor is not None
    await compressor("long words " * 50, "what matters")


async def describe(root: SettingsRoot) -> None:
    describer = picture_describer(root)
    assert describer is not None
    await describer(PIXEL, "image/png")


# Every function that opens a model from the settings, and a call of what it opens.
CALLS: dict[str, Callable[[SettingsRoot], Any]] = {
    "model": lambda root: open_model("one", root).unwrap().complete(REQUEST),
    "route": lambda root: open_model_route(ROUTE, root).unwrap().complete(REQUEST),
    "embedder": lambda root: open_embedder(root).unwrap()(["a"], "query"),
    "reranker": lambda root: open_reranker(root).unwrap()("a", ["b"]),
    "search model": lambda root: (
        open_search_model("xai_web", root).unwrap().search(WebSearchQuery(query="a"))
    ),
    "small work": lambda root: (
        open_small_work_model("small_work", root).unwrap().model.complete(REQUEST)
    ),
    "x": lambda root: open_x_search(root).unwrap()({"query": "a"}),
    "compressor": compress,
    "pictures": describe,
}


def root_in(
    folder: Path, transport: httpx.AsyncBaseTransport, config: str = CONFIG
) -> SettingsRoot:
    (folder / "config.yaml").write_text(config)
    environment = {
        "WEBSEAM_CONFIG": str(folder / "config.yaml"),
        "WEBSEAM_LEDGER": str(folder / "ledger.sqlite"),
        "XAI_API_KEY": "k2",
    }
    return msgspec.structs.replace(read_settings_root(environment).unwrap(), transport=transport)


@pytest.fixture(autouse=True)
def process_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEBSEAM_LEDGER", str(tmp_path / "of-the-process.sqlite"))
    return tmp_path / "of-the-process.sqlite"


def test_every_model_has_the_transport_and_the_ledger_of_its_root(
    tmp_path: Path, process_ledger: Path
) -> None:
    for name, call in CALLS.items():
        requests: list[httpx.Request] = []

        def refuse(request: httpx.Request, seen: list[httpx.Request] = requests) -> httpx.Response:
            seen.append(request)
            return httpx.Response(400, json={"error": {"message": "no"}})

        run(call(root_in(tmp_path, httpx.MockTransport(refuse))))
        assert requests, name
    assert (tmp_path / "ledger.sqlite").exists()
    assert not process_ledger.exists()


def test_a_model_spends_no_more_than_its_user_may(tmp_path: Path) -> None:
    root = root_in(tmp_path, httpx.MockTransport(lambda _: httpx.Response(500)))
    poor = msgspec.structs.replace(root, allowance=SpendingAllowance(owner="ann", day=0.01))
    request = msgspec.structs.replace(REQUEST, max_tokens=100_000)

    model = run(open_model_route(ROUTE, poor).unwrap().complete(request))
    posts = run(open_x_search(poor).unwrap()({"query": "a"}))

    assert model.failure().kind == posts.failure().kind == "budget_exceeded"
