"""The page about providers: what it shows works as it stands there."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.features.models.providers.asking import REGISTRY
from webseam.adapters.features.models.provider_registry import Registry, register_providers
from webseam.adapters.features.models.provider_settings import SETTING_GROUPS, declare_providers
from webseam.adapters.features.models.wires.preview import preview
from webseam.ports import ChatRequest

PAGE = (Path(__file__).parents[3] / "docs" / "providers.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def ran(example: str, package: str | None = None) -> dict[str, Any]:
    names: dict[str, Any] = {"__package__": package}
    exec(compile(example, "docs/providers.md", "exec"), names)  # noqa: S102  our own page
    return names


def sent(registry: Registry, model: str, **asked: Any) -> dict[str, object]:  # noqa: ANN401  any field
    provider = registry.find("acme").unwrap()
    body = preview(provider, ChatRequest(model=model, messages=(), **asked)).body
    return {name: body[name] for name in body if name not in ("model", "messages")}


@pytest.mark.parametrize("block", blocks("yaml"))
def test_the_settings_can_be_used(block: str) -> None:
    declared = declare_providers(yaml.safe_load(block)["providers"], REGISTRY).unwrap()

    assert all(declared.find(name) for name in yaml.safe_load(block)["providers"])


def test_the_one_file_is_a_provider_that_does_what_its_test_says() -> None:
    file, test, _ = blocks("python")
    provider = ran(file, "webseam.adapters.features.models.providers")["ACME"]
    registry = register_providers([provider])

    assert sent(registry, "acme-large", reasoning_effort="max") == {"thinking": "high"}
    assert sent(registry, "acme-fast-1", reasoning_effort="max", temperature=0.2) == {}
    assert '{"thinking": "high"}' in test


def test_the_package_prints_what_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    ran(blocks("python")[2])

    assert capsys.readouterr().out == blocks("text")[-1]


def test_group_of_settings_is_on_the_page() -> None:
    mentioned = set(re.findall(r"`(\w+)`", PAGE))

    assert set(SETTING_GROUPS) <= mentioned
