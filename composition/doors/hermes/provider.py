"""The web provider for Hermes: webseam's tools behind Hermes's interface."""

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import cast

from returns.result import Failure

from webseam.kernel.envelopes import ToolReply
from webseam.kernel.planner.selection import Capability
from webseam.ports.errors import NotConfigured

from ...settings.hermes_settings import hermes_web_variables
from ...wiring.backend_choice import choose_backend_row
from ...wiring.root import read_root
from .tool_bridge import Interrupted, ToolBridge

_INTERRUPTED_MESSAGE = "Interrupted"


def hermes_search_reply(reply: ToolReply) -> dict[str, object]:
    """Return ``{"success", "data": {"web": [...]}}``, or the failure with its kind."""
    if reply.error is not None:
        return {"success": False, **{name: reply.envelope[name] for name in ("error", "failure")}}
    data = reply.envelope.get("data")
    fields = data if isinstance(data, dict) else {"text": data}
    if not isinstance(fields.get("web"), list):
        # A plugin may send text instead of rows: Hermes needs a list, so it is empty.
        fields = {**fields, "web": []}
    return {"success": True, "data": fields}


def hermes_page_entry(url: str, reply: ToolReply) -> dict[str, object]:
    """Return one entry of Hermes's list: a page, or the URL with its error."""
    if reply.error is not None:
        failure = {name: reply.envelope[name] for name in ("error", "failure")}
        return {"url": url, "title": "", "content": "", **failure}
    # Take the only page of an envelope, or the fields that a plugin sent instead.
    data = reply.envelope.get("data")
    fields = data if isinstance(data, dict) else {}
    results = fields.get("results")
    page = results[0] if isinstance(results, list) and results else fields
    page = page if isinstance(page, dict) else {}
    content = str(page.get("content") or page.get("text") or "")
    metadata = page.get("metadata")
    source = {"sourceURL": page.get("final_url") or url, "title": page.get("title") or ""}
    return {
        "url": url,
        "title": str(page.get("title") or ""),
        "content": content,
        "raw_content": str(page.get("raw_content") or content),
        "metadata": {**(metadata if isinstance(metadata, dict) else {}), **source},
    }


def is_offered_to_hermes(capability: Capability, environment: Mapping[str, str]) -> bool:
    """Tell whether something is set up for a capability; open nothing, because Hermes asks often.

    A partial or wrong setup is offered: otherwise Hermes would silently use another provider. The
    call itself then says what is missing.
    """
    if isinstance(root := read_root(environment), Failure):
        return True
    settings = root.unwrap().settings
    if settings.route or getattr(settings, f"{capability}_route"):
        return True
    choice = choose_backend_row(capability, root.unwrap())
    problem = choice.failure() if isinstance(choice, Failure) else None
    return not (isinstance(problem, NotConfigured) and problem.backend is None)


class WebseamProvider:
    """Search and extract for Hermes; ``make_hermes_provider`` adds Hermes's base class."""

    name = "webseam"
    display_name = "webseam"

    def __init__(self, bridge: ToolBridge) -> None:
        self._bridge = bridge

    def is_available(self) -> bool:
        """Tell whether search or extract is set up."""
        return self.supports_search() or self.supports_extract()

    def supports_search(self) -> bool:
        """Tell whether search is set up."""
        return is_offered_to_hermes("search", self._bridge.environment())

    def supports_extract(self) -> bool:
        """Tell whether extract is set up."""
        return is_offered_to_hermes("extract", self._bridge.environment())

    def search(self, query: str, limit: int = 5) -> dict[str, object]:
        """Return Hermes's search envelope."""
        try:
            [reply] = self._bridge.ask("web_search", [{"query": query, "limit": limit}])
        except Interrupted:
            return {"success": False, "error": _INTERRUPTED_MESSAGE}
        return hermes_search_reply(reply)

    def extract(self, urls: Sequence[str], **_: object) -> list[dict[str, object]]:
        """Return one entry for each URL, in order; Hermes runs this in a thread."""
        try:
            replies = self._bridge.ask("web_extract", [{"urls": [url]} for url in urls])
        except Interrupted:
            empty = {"title": "", "content": "", "error": _INTERRUPTED_MESSAGE}
            return [{"url": url, **empty} for url in urls]
        return [hermes_page_entry(url, reply) for url, reply in zip(urls, replies, strict=True)]

    def get_setup_schema(self) -> dict[str, object]:
        """Return the row for Hermes's picker."""
        return {
            "name": "webseam",
            "badge": "many services · typed failures",
            "tag": "Reads pages itself; run `webseam setup` to add a search service.",
            "env_vars": [],
        }


def make_hermes_bridge() -> ToolBridge:
    """Return a bridge to webseam's tools, with Hermes's variables and interrupt."""
    return ToolBridge(hermes_environment, _load_interrupt_check())


def make_hermes_provider(bridge: ToolBridge) -> object:
    """Return a provider that is also an instance of Hermes's class, as Hermes requires."""
    base = importlib.import_module("agent.web_search_provider").WebSearchProvider
    kind = type("WebseamWebSearchProvider", (WebseamProvider, base), {})
    return kind(bridge)


def hermes_environment() -> Mapping[str, str]:
    """Return the environment, Hermes's ``.env`` and its ``web`` block, the strongest first."""
    try:
        config = importlib.import_module("hermes_cli.config")
        stored = config.load_env()
    except Exception:  # noqa: BLE001  an unknown version of Hermes
        return dict(os.environ)
    variables = {name: value for name, value in dict(stored).items() if isinstance(value, str)}
    return {**_web_block(config), **variables, **os.environ}


def _web_block(config: ModuleType) -> Mapping[str, str]:
    try:
        # The raw file tells what the user wrote; the loaded one has references filled in.
        written, loaded = config.read_raw_config()["web"], config.load_config()["web"]
        return hermes_web_variables({name: loaded[name] for name in written})
    except Exception:  # noqa: BLE001  no such block, or an unknown version of Hermes
        return {}


def _load_interrupt_check() -> Callable[[], bool]:
    try:
        interrupted = importlib.import_module("tools.interrupt").is_interrupted
    except (ImportError, AttributeError):
        return lambda: False
    return cast("Callable[[], bool]", interrupted)
