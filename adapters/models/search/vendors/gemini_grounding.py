"""Gemini with Google Search, over its own API: on the compatible one the tool does nothing.

https://ai.google.dev/gemini-api/docs/google-search (read 2026-11-14). The addresses of its pages
are redirects of Google's, and their titles the names of the sites. It takes no filters.
"""

from .....ports.models.chat import ChatRequest
from .....ports.web import WebSearchQuery
from ...providers.gemini import GEMINI_NATIVE
from ..declaration import INSTRUCTIONS, SearchModel, query_messages


def ask(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the call, with the tool that searches."""
    return ChatRequest(
        model=model,
        messages=query_messages(query),
        tools=({"google_search": {}},),
        instructions=INSTRUCTIONS,
    )


SEARCH_MODEL = SearchModel(
    name="gemini_grounding",
    title="Gemini with Google Search",
    site="https://ai.google.dev",
    provider=GEMINI_NATIVE,
    model="gemini-3.6-flash",
    ask=ask,
    note="Rows have addresses of Google that lead on to the pages.",
)
