"""The tools as agents see them: schemas, and one call that goes through plugins and policy."""

from .dispatch import Tools
from .schemas import anthropic_tools, gemini_tools, mcp_tools, openai_responses_tools, openai_tools
from .web_tools import Tool, web_tools

__all__ = [
    "Tool",
    "Tools",
    "anthropic_tools",
    "gemini_tools",
    "mcp_tools",
    "openai_responses_tools",
    "openai_tools",
    "web_tools",
]
