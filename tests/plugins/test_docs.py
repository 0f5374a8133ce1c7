"""The plugin of docs/middleware.md does what the page says, and the page names every plugin."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.fetch.payments import Buyer, Till
from tests.tools.bench import Bench
from webseam.composition.plugins.context import Manifest, PluginContext
from webseam.composition.plugins.shipped import SHIPPED
from webseam.testing import FakeBackend

PAGE = (Path(__file__).parents[2] / "docs" / "middleware.md").read_text(encoding="utf-8")
PLUGIN, PAYER, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_plugin_of_the_page_does_what_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, Any] = {}
    exec(compile(PLUGIN, "docs/middleware.md", "exec"), namespace)  # noqa: S102  our own example
    manifest = Manifest(name="doc", key="doc", source="folder", path="")
    context = PluginContext(manifest, {}, tmp_path)
    namespace["register"](context)
    rows = [{"title": "T", "url": "https://a.example/?utm_source=x", "snippet": ""}]
    bench = Bench(FakeBackend(rows=rows))
    bench.middleware += context.middleware
    bench.hooks += context.hooks

    envelope = bench.search()

    assert bench.backend.searched[0].max_results == 3
    assert envelope["data"]["web"][0]["url"] == "https://a.example/"
    assert (
        capsys.readouterr().out
        == f"web_search ok 0 {[{'source': 'fewer', 'reason': 'three are enough'}]}\n"
    )
    assert bench.mishaps == []
    assert json.dumps(envelope)


def test_the_payer_of_the_page_pays_one_site(tmp_path: Path) -> None:
    for payee, payments in (("127.0.0.2", 1), ("news.example.com", 0)):
        namespace: dict[str, Any] = {}
        exec(PAYER.replace("news.example.com", payee), namespace)  # noqa: S102  our own example
        buyer, till = Buyer(tmp_path, None, "{day: 1}"), Till("crawler-price: USD 0.01")
        namespace["register"](buyer.context)
        buyer.register_payers()
        buyer.fetch(till)
        assert till.payments == payments


def test_every_shipped_plugin_is_on_the_page() -> None:
    assert [name for name in SHIPPED if f"| `{name}` |" not in PAGE] == []
