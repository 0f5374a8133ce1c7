"""What Hermes is offered, without Hermes: its shapes, its interrupt, its plain calls."""

import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from webseam.composition.doors.cli.commands.demo import DemoApi, open_demo_api
from webseam.composition.doors.hermes import register
from webseam.composition.doors.hermes.provider import (
    WebseamProvider,
    hermes_environment,
    hermes_page_entry,
    hermes_search_reply,
)
from webseam.composition.doors.hermes.tool_bridge import Interrupted, ToolBridge
from webseam.composition.features.models.hermes_x_search import (
    has_x_account,
    register_x_search,
    x_search_handler,
)
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.schema import Settings
from webseam.kernel.envelopes import ToolReply, envelope_reply, error_reply
from webseam.ports import RateLimited


@pytest.fixture
def api() -> Iterator[DemoApi]:
    with open_demo_api() as running:
        yield running


@pytest.fixture
def environment(tmp_path: Path, api: DemoApi) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "WEBSEAM_CONFIG": str(tmp_path / "config.yaml"),
        "WEBSEAM_CACHE": str(tmp_path / "cache"),
        "WEBSEAM_INDEX": str(tmp_path / "index.sqlite"),
        "WEBSEAM_JSON_SEARCH_URL": api.url("search"),
        "WEBSEAM_JSON_EXTRACT_URL": api.url("extract"),
    }


@pytest.fixture
def provider(environment: dict[str, str]) -> Iterator[WebseamProvider]:
    bridge = ToolBridge(lambda: environment)
    yield WebseamProvider(bridge)
    bridge.close()


def test_a_search_is_hermes_envelope_and_no_more(provider: WebseamProvider) -> None:
    reply: Any = provider.search("typed", 1)

    assert list(reply) == ["success", "data"]
    assert [set(row) for row in reply["data"]["web"]] == [
        {"title", "url", "description", "position"}
    ]


SHOUT = """
def register(ctx):
    ctx.register_hook("transform_tool_result", lambda *, result: result.replace("typed", "TYPED"))
"""


def test_plugins_run_around_the_calls_and_broken_ones_are_written_down(
    environment: dict[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "shout.py").write_text(SHOUT)
    environment["WEBSEAM_PLUGINS_FOLDER"] = str(tmp_path / "plugins")
    environment["WEBSEAM_PLUGINS_ENABLED"] = "shout,gone"
    bridge = ToolBridge(lambda: environment)

    reply: Any = WebseamProvider(bridge).search("typed", 1)
    bridge.close()

    assert reply["data"]["web"][0]["title"] == "A TYPED failure beats an empty list"
    assert caplog.messages == [
        "plugin gone is broken and was left out: it is enabled but not there"
    ]


def test_a_page_is_hermes_entry(provider: WebseamProvider) -> None:
    [entry] = provider.extract(["https://webseam.example/receipts"], format="markdown")

    assert entry["title"] == "Receipts"
    assert entry["content"] == entry["raw_content"]
    assert entry["metadata"] == {
        "sourceURL": "https://webseam.example/receipts",
        "title": "Receipts",
    }


def test_each_url_has_its_own_entry_in_its_place(provider: WebseamProvider) -> None:
    urls = ["http://169.254.169.254/", "https://webseam.example/rows", "nonsense"]

    entries = provider.extract(urls)

    assert [entry["url"] for entry in entries] == urls
    assert ["error" in entry for entry in entries] == [True, False, True]


def offers(environment: dict[str, str]) -> list[bool]:
    provider = WebseamProvider(ToolBridge(lambda: environment))
    return [provider.is_available(), provider.supports_search(), provider.supports_extract()]


def test_hermes_is_offered_services_that_are_set_up(environment: dict[str, str]) -> None:
    assert offers(environment) == [True, True, True]


def test_a_search_that_nothing_is_set_up_for_is_not_offered(environment: dict[str, str]) -> None:
    del environment["WEBSEAM_JSON_SEARCH_URL"]
    environment["WEBSEAM_KEYLESS"] = "false"

    # Pages are read without anybody's help.
    assert offers(environment) == [True, False, True]


@pytest.mark.parametrize(
    "more",
    [
        {"CUSTOM_SEARCH_API_KEY": "k-0123456789"},
        {"WEBSEAM_SEARCH_BACKEND": "tavily"},
        {"WEBSEAM_ROUTE": "tavily"},
        {"WEBSEAM_POLICY_PORTS": "http"},
    ],
)
def test_hermes_is_offered_services_that_are_set_up_in_part(
    environment: dict[str, str], more: dict[str, str]
) -> None:
    del environment["WEBSEAM_JSON_SEARCH_URL"]

    assert offers(environment | more | {"WEBSEAM_KEYLESS": "false"}) == [True, True, True]


def test_calls_come_from_any_thread_at_once(provider: WebseamProvider) -> None:
    replies: list[dict[str, object]] = []
    threads = [
        threading.Thread(target=lambda: replies.append(provider.search("typed"))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [reply["success"] for reply in replies] == [True] * 8


def test_settings_that_are_wrong_are_told_and_read_again(
    provider: WebseamProvider, environment: dict[str, str]
) -> None:
    config = Path(environment["WEBSEAM_CONFIG"])
    config.write_text("nonsense: [")
    broken = provider.search("typed")
    config.unlink()

    assert broken["success"] is False
    assert provider.search("typed")["success"] is True


def test_an_interrupt_cancels_the_call(environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        environment |= {"WEBSEAM_JSON_SEARCH_URL": address, "WEBSEAM_JSON_EXTRACT_URL": address}
        bridge = ToolBridge(lambda: environment, interrupted=lambda: True)
        provider = WebseamProvider(bridge)

        result = provider.search("q")
        [page] = provider.extract(["https://a.example/"])
        bridge.close()

    assert result == {"success": False, "error": "Interrupted"}
    assert page["error"] == "Interrupted"


def test_a_bridge_that_was_closed_opens_again(provider: WebseamProvider) -> None:
    bridge = provider._bridge  # noqa: SLF001  to close it between two calls
    first = provider.search("typed")
    bridge.close()
    bridge.close()

    assert provider.search("typed") == first


def test_hermes_is_offered_an_instance_of_its_own_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("agent.web_search_provider")
    base = type("WebSearchProvider", (), {})
    module.WebSearchProvider = base  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "agent", ModuleType("agent"))
    monkeypatch.setitem(sys.modules, "agent.web_search_provider", module)
    offered: list[Any] = []

    class Context:
        register_web_search_provider: Callable[[object], None] = offered.append

        def register_tool(self, name: str, toolset: str, **how: object) -> None:
            offered.append({"name": name, "toolset": toolset, **how})

    register(Context())

    assert isinstance(offered[0], base)
    provider: Any = offered[0]
    assert (provider.name, provider.display_name) == ("webseam", "webseam")
    assert provider.is_available()
    assert provider.supports_search()
    assert provider.supports_extract()
    assert set(provider.get_setup_schema()) == {"name", "badge", "tag", "env_vars"}
    x_search: Any = offered[1]
    assert (x_search["name"], x_search["toolset"], x_search["override"]) == (
        "x_search",
        "x_search",
        True,
    )
    wanted = {"output_schema", "instructions", "previous_response_id", "store"}
    assert wanted <= set(x_search["schema"]["parameters"]["properties"])


def test_x_search_is_offered_with_an_account_alone(environment: dict[str, str]) -> None:
    assert not has_x_account(environment)
    assert has_x_account({**environment, "XAI_API_KEY": "xai-0123456789"})
    assert not has_x_account({**environment, "WEBSEAM_TIMEOUT": "never"})


def test_x_search_answers_in_json_text(environment: dict[str, str]) -> None:
    bridge = ToolBridge(lambda: environment)

    reply = json.loads(x_search_handler(bridge)({"query": "tides"}, task_id="t"))
    bridge.close()

    assert reply["success"] is False
    assert reply["error"] == "xAI has no key. Set XAI_API_KEY."


def test_x_search_that_is_interrupted_says_so(environment: dict[str, str]) -> None:
    bridge = Interrupting(lambda: environment)

    assert json.loads(x_search_handler(bridge)({"query": "tides"})) == {
        "success": False,
        "error": "Interrupted",
    }


class Interrupting(ToolBridge):
    def ask(self, tool: str, calls: object) -> list[ToolReply]:
        raise Interrupted(tool, calls)


def test_a_hermes_that_keeps_its_own_x_search_is_no_harm(
    environment: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    class Strict:
        def register_tool(self, name: str, toolset: str, **_: object) -> None:
            raise PermissionError(name, toolset)

    caplog.set_level("INFO", "webseam.hermes")
    register_x_search(Strict(), ToolBridge(lambda: environment))

    assert "allow_tool_override: true" in caplog.text


def test_variables_of_the_process_win_over_the_env_file_of_hermes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ModuleType("hermes_cli.config")
    config.load_env = lambda: {"ONE": "kept", "TWO": "kept", "THREE": None}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hermes_cli", ModuleType("hermes_cli"))
    monkeypatch.setitem(sys.modules, "hermes_cli.config", config)
    monkeypatch.setenv("TWO", "process")

    environment = hermes_environment()

    assert (environment["ONE"], environment["TWO"]) == ("kept", "process")
    assert "THREE" not in environment


def test_the_web_block_of_hermes_counts_less_than_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    address = "https://llm.example/v1"
    written = {
        "backend": "webseam",
        "custom_base_url": address,
        "custom_model": "sonar-pro",
        "custom_api_key": "${KEY}",
        "extract_timeout": 0,
        "cache_enabled": False,
        "xai": {},
    }
    loaded = {**written, "custom_api_key": "filled", "extract_char_limit": 15000}
    config = ModuleType("hermes_cli.config")
    config.load_env = lambda: {"CUSTOM_SEARCH_MODEL": "sonar"}  # type: ignore[attr-defined]
    config.read_raw_config = lambda: {"web": written}  # type: ignore[attr-defined]
    config.load_config = lambda: {"web": loaded}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "hermes_cli", ModuleType("hermes_cli"))
    monkeypatch.setitem(sys.modules, "hermes_cli.config", config)
    monkeypatch.setenv("WEBSEAM_CONFIG", str(tmp_path / "none"))

    settings = load_settings(hermes_environment(), folder=tmp_path).unwrap()

    assert (settings.backend, settings.custom_base_url) == (None, address)
    assert (settings.custom_model, settings.custom_api_key.reveal()) == ("sonar", "filled")
    assert (settings.cache.enabled, settings.timeout) == (False, Settings().timeout)
    assert settings.extract_char_limit == Settings().extract_char_limit


def test_a_hermes_that_keeps_its_environment_otherwise_is_no_trouble() -> None:
    assert "PATH" in hermes_environment()


def test_replaced_result_is_handed_to_hermes_without_rows() -> None:
    text = hermes_search_reply(envelope_reply({"success": True, "data": {"text": "words"}}))
    odd = hermes_search_reply(envelope_reply({"success": True, "data": 5}))

    assert text == {"success": True, "data": {"text": "words", "web": []}}
    assert odd == {"success": True, "data": {"text": 5, "web": []}}
    assert hermes_page_entry("u", envelope_reply({"success": True, "data": 5}))["content"] == ""


def test_failures_keep_their_kind() -> None:
    reply = error_reply(RateLimited(backend="b"))

    found: Any = hermes_search_reply(reply)
    assert (found["failure"]["kind"], found["failure"]["retryable"]) == ("rate_limited", True)
    assert hermes_page_entry("u", reply)["error"] == "b asks to slow down."
