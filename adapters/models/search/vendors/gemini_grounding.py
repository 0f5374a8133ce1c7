"""Gemini with Google Search, over its own API: the OpenAI-compatible API ignores the tool.

https://ai.google.dev/gemini-api/docs/google-search (read 2026-11-14). The URLs of its pages are
Google's redirects, and the titles are names of sites. It accepts no filters.
"""

from .....ports.models import ChatRequest
from .....ports.web import WebSearchQuery
from ...providers.gemini import GEMINI_NATIVE
from ..declaration import SEARCH_INSTRUCTIONS, SearchModel, search_query_messages


def gemini_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with the tool that searches."""
    return ChatRequest(
        model=model,
        messages=search_query_messages(query),
        tools=({"google_search": {}},),
        instructions=SEARCH_INSTRUCTIONS,
    )


SEARCH_MODEL = SearchModel(
    name="gemini_grounding",
    title="Gemini with Google Search",
    site="https://ai.google.dev",
    provider=GEMINI_NATIVE,
    model="gemini-3.6-flash",
    ask=gemini_search_request,
    note="Rows have addresses of Google that lead on to the pages.",
)
