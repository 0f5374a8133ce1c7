"""The seam at the agent frameworks: each tool hands over all that webseam's own tool answers.

The frameworks are not needed here. In their places stand modules in which every name is a class
that keeps what it is given, and a tool is called as its framework calls it. ``make integrations``
runs the real ones.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Self, TypeVar

import msgspec
import pytest

import webseam
from properties.seam_world import QUERY, URL, World
from webseam import BlockingWeb, integrations
from webseam.composition.features.testing.door_law import lost_from_tool, lost_page_from_tool

_MODULES = (
    "agents", "agno", "agno.tools", "claude_agent_sdk", "crewai", "crewai.tools", "google",
    "google.adk", "google.adk.tools", "google.genai", "google.genai.types", "langchain_core",
    "langchain_core.tools", "llama_index", "llama_index.core", "llama_index.core.tools",
    "llama_index.core.tools.types", "pydantic", "pydantic_ai", "smolagents",
)  # fmt: skip


Value = TypeVar("Value")


class Keeper:
    """Keeps what it is given, under the names that it is given by."""

    def __init__(self, *_: object, **fields: object) -> None:
        vars(self).update(fields)

    @classmethod
    def from_schema(cls, function: object, **fields: object) -> Self:
        return cls(function=function, **fields)


class _FakeModule(ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = sys.modules.get(f"{self.__name__}.{name}")
        return inner or type(name, (Keeper,), {})


def _unload_integrations() -> None:
    package = "webseam.composition.doors.integrations."
    for name in [*sys.modules]:
        if name.startswith(package) and not name.endswith("offered_tools"):
            del sys.modules[name]


@pytest.fixture
def frameworks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in _MODULES:
        monkeypatch.setitem(sys.modules, name, _FakeModule(name))
    _unload_integrations()
    yield
    _unload_integrations()


def run(call: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(call)


# How each framework calls a tool: what a model or a program then gets, as text or as an object.
CALLS: dict[str, Callable[[Any, dict[str, Any]], list[Any]]] = {
    "agno_tools": lambda tool, args: [tool.entrypoint(**args)],
    "claude_agent_tools": lambda tool, args: [run(tool.handler(args))["content"][0]["text"]],
    "crewai_tools": lambda tool, args: [tool._run(**args), run(tool._arun(**args))],  # noqa: SLF001  CrewAI's own names
    "google_adk_tools": lambda tool, args: [run(tool.run_async(args=args, tool_context=None))],
    "langchain_tools": lambda tool, args: [tool.func(**args), run(tool.coroutine(**args))],
    "llama_index_tools": lambda tool, args: [
        tool.call(**args).content,
        tool.call(**args).raw_output,
        run(tool.acall(**args)).content,
    ],
    "openai_agents_tools": lambda tool, args: [run(tool.on_invoke_tool(None, json.dumps(args)))],
    "pydantic_ai_tools": lambda tool, args: [run(tool.function(**args))],
    "smolagents_tools": lambda tool, args: [tool.forward(**args)],
}


def open_web(world: World) -> BlockingWeb:
    parts = msgspec.structs.asdict(world.parts)
    names = ("settings", "environment", "backend", "policy", "rows", "filters")
    return webseam.open_blocking(**{name: parts[name] for name in names})


def envelopes(name: str, tool_name: str, args: dict[str, Any], world: World) -> list[Any]:
    """Return what a framework gets of a call, in each of its forms."""
    with open_web(world) as web:
        tools = getattr(integrations, name)(web)
        tool = next(it for it in tools if getattr(it, "metadata", it).name == tool_name)
        answers = CALLS[name](tool, args)
    return [json.loads(it) if isinstance(it, str) else it for it in answers]


@pytest.fixture(params=[False, True], ids=["bare", "plugin"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path, has_plugin=request.param)


def test_every_framework_is_under_the_law() -> None:
    assert {*CALLS, "claude_agent_server"} == {*integrations.__all__}


@pytest.mark.usefixtures("frameworks")
@pytest.mark.parametrize("name", CALLS)
def test_a_framework_gets_every_sentinel_of_a_search(world: World, name: str) -> None:
    outcome = world.search()

    for envelope in envelopes(name, "web_search", dict(QUERY), world):
        # The second call of one client sees nothing new.
        told = outcome.receipt.fetched_at, outcome.receipt.new_share
        envelope["receipt"]["fetched_at"], envelope["receipt"]["new_share"] = told
        envelope["receipt"]["no_progress"] = False
        assert lost_from_tool(outcome, envelope) == ()


@pytest.mark.usefixtures("frameworks")
@pytest.mark.parametrize("name", CALLS)
def test_a_framework_gets_every_sentinel_of_a_page(world: World, name: str) -> None:
    page = world.extract()

    for envelope in envelopes(name, "web_extract", {"urls": [URL]}, world):
        envelope["receipt"]["pages"][0]["fetched_at"] = page.receipt.fetched_at
        assert lost_page_from_tool(page, envelope) == ()
