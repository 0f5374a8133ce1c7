"""The tools for agent frameworks: one function each, which needs that framework's own package.

``langchain_tools()`` and its like give tools with your settings behind them; hand over a
``webseam.open_blocking(...)`` to have others. See docs/frameworks.md.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .composition.doors.integrations.agno import agno_tools
    from .composition.doors.integrations.claude_agent import claude_agent_server, claude_agent_tools
    from .composition.doors.integrations.crewai import crewai_tools
    from .composition.doors.integrations.google_adk import google_adk_tools
    from .composition.doors.integrations.langchain import langchain_tools
    from .composition.doors.integrations.llama_index import llama_index_tools
    from .composition.doors.integrations.openai_agents import openai_agents_tools
    from .composition.doors.integrations.pydantic_ai import pydantic_ai_tools
    from .composition.doors.integrations.smolagents import smolagents_tools

__all__ = [
    "agno_tools",
    "claude_agent_server",
    "claude_agent_tools",
    "crewai_tools",
    "google_adk_tools",
    "langchain_tools",
    "llama_index_tools",
    "openai_agents_tools",
    "pydantic_ai_tools",
    "smolagents_tools",
]

# The file of each function, the module that it imports, and the package to install for that.
_HOMES = {
    "agno_tools": ("agno", "agno", "agno"),
    "claude_agent_server": ("claude_agent", "claude_agent_sdk", "claude-agent-sdk"),
    "claude_agent_tools": ("claude_agent", "claude_agent_sdk", "claude-agent-sdk"),
    "crewai_tools": ("crewai", "crewai", "crewai"),
    "google_adk_tools": ("google_adk", "google.adk", "google-adk"),
    "langchain_tools": ("langchain", "langchain_core", "langchain-core"),
    "llama_index_tools": ("llama_index", "llama_index", "llama-index-core"),
    "openai_agents_tools": ("openai_agents", "agents", "openai-agents"),
    "pydantic_ai_tools": ("pydantic_ai", "pydantic_ai", "pydantic-ai-slim"),
    "smolagents_tools": ("smolagents", "smolagents", "smolagents"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        message = f"module 'webseam.integrations' has no attribute {name!r}"
        raise AttributeError(message)
    file, module, package = _HOMES[name]
    try:
        return getattr(import_module(f"webseam.composition.doors.integrations.{file}"), name)
    except ModuleNotFoundError as error:
        # Only what the framework itself lacks is told in these words.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        message = f"webseam.integrations.{name} needs {package}: pip install {package}"
        raise ImportError(message, name=error.name) from error


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
