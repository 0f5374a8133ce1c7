"""Gemini with Google Search, over its own API: the OpenAI-compatible API ignores the tool.

https://ai.google.dev/gemini-api/docs/google-search (read 2026-11-14). The URLs of its pages are
Google's redirects, and the titles are names of sites. It accepts no filters.
"""

from webseam.ports.models import ChatRequest
from webseam.ports.web import WebSearchQuery

from ...providers.gemini import GEMINI_NATIVE
from ..declaration import SearchModel, search_model_request


def gemini_search_request(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the search request, with the tool that searches."""
    return search_model_request(query, model, {"google_search": {}})


SEARCH_MODEL = SearchModel(
    name="gemini_grounding",
    title="Gemini with Google Search",
    site="https://ai.google.dev",
    provider=GEMINI_NATIVE,
    model="gemini-3.6-flash",
    ask=gemini_search_request,
    note="Rows have addresses of Google that lead on to the pages.",
)
