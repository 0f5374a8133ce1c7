"""Providers by name, and where they come from."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from webseam.adapters.features.models import providers as shelf
from webseam.adapters.features.models.declaration.provider import Provider
from webseam.adapters.features.models.provider_registry import (
    PROVIDERS_GROUP,
    Registry,
    built_in_providers,
    discover_providers,
    load_providers,
    register_providers,
)
from webseam.ports import UnknownProvider

WANTED = (
    "openai", "anthropic", "bedrock", "xai", "perplexity", "openrouter", "nous", "kimi", "qwen",
    "nvidia", "deepseek", "zai", "gemini", "mistral", "groq", "together", "fireworks", "cerebras",
    "huggingface", "github", "azure-openai", "minimax", "ollama", "lmstudio", "vllm", "custom",
)  # fmt: skip
FIRST = Provider(name="acme", aliases=("a", "ac"))
BOTH = (FIRST, Provider(name="acme-two"))
NOTHING = None


@pytest.mark.parametrize("name", WANTED)
def test_a_provider_is_found_without_being_listed(name: str) -> None:
    assert discover_providers().registry.find(name).unwrap().name == name


def test_every_file_declares_at_least_one_provider() -> None:
    files = {path.stem for path in Path(shelf.__path__[0]).glob("*.py")} - {"__init__"}

    assert len(files) <= len(list(built_in_providers()))
    assert discover_providers().failures == ()


@pytest.mark.parametrize("name", ["acme", "ACME", " a ", "Ac"])
def test_a_provider_is_found_by_name_and_alias_in_any_case(name: str) -> None:
    assert register_providers([FIRST]).find(name).unwrap() is FIRST


def test_the_last_one_registered_has_the_name_and_the_aliases() -> None:
    second = Provider(name="acme")
    third = Provider(name="other", aliases=("a",))

    registry = register_providers([third], register_providers([FIRST, second]))

    assert registry.find("acme").unwrap() is second
    assert registry.find("ac").unwrap() is second
    assert registry.find("a").unwrap() is third


def test_registering_leaves_what_was_there_before_as_it_was() -> None:
    before = register_providers([FIRST])

    register_providers([Provider(name="acme")], before)

    assert before.find("acme").unwrap() is FIRST


def test_an_unknown_name_is_an_error_that_tells_near_ones() -> None:
    error = discover_providers().registry.find("grog").failure()

    assert isinstance(error, UnknownProvider)
    assert error.near[:2] == ("groq", "grok")
    assert register_providers([FIRST]).find("acne").failure() == UnknownProvider(
        name="acne", near=("acme", "ac")
    )
    assert Registry().find("x").failure() == UnknownProvider(name="x")


def test_no_name_belongs_to_two_of_ours() -> None:
    ours = {id(each): each for each in built_in_providers()}.values()
    names = [name for each in ours for name in (each.name, *each.aliases)]

    assert sorted(names) == sorted(set(names))


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=f"{__name__}:{value}", group=PROVIDERS_GROUP)


def test_an_installed_package_adds_providers_and_may_replace_ours() -> None:
    discovery = load_providers([Provider(name="acme")], [point("z", "BOTH")])

    assert discovery.failures == ()
    assert discovery.registry.find("acme").unwrap() is FIRST
    assert discovery.registry.find("acme-two").unwrap() is BOTH[1]


@pytest.mark.parametrize(
    ("value", "why"),
    [("NOTHING", "it is not a Provider"), ("GONE", "it raised AttributeError while it was loaded")],
)
def test_a_package_that_cannot_be_used_is_told_of_and_leaves_the_rest(value: str, why: str) -> None:
    discovery = load_providers(
        [Provider(name="own")], [point("broken", value), point("fine", "FIRST")]
    )

    assert set(discovery.registry.providers) == {"own", "acme"}
    assert [failure.reason for failure in discovery.failures] == [
        f"The provider 'broken' of an installed package cannot be used: {why}"
    ]


def test_importing_webseam_loads_no_provider() -> None:
    code = "import sys, webseam; print([n for n in sys.modules if 'adapters' in n])"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert loaded.stdout.strip() == "[]"
