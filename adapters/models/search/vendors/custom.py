"""Any OpenAI-compatible endpoint whose model searches: Sonar, a gateway, LiteLLM, vLLM.

The query is the whole prompt. What such a server cites may be anything, so the best kind of
citation that it gives is taken for all rows; links in its prose are not taken for citations.
"""

from .....ports.models.chat import ChatRequest
from .....ports.web import WebSearchQuery
from ...providers.custom import CUSTOM
from ..declaration import SearchModel, query_messages


def ask(query: WebSearchQuery, model: str) -> ChatRequest:
    """Return the call: the query as one message, and nothing that a strict server might refuse."""
    return ChatRequest(model=model, messages=query_messages(query))


SEARCH_MODEL = SearchModel(
    name="custom",
    title="A model of your own that searches",
    provider=CUSTOM,
    model="sonar",
    ask=ask,
    note="Any OpenAI-compatible endpoint: set custom_base_url, and custom_model and custom_api_key "
    "where they are needed. It takes no filters.",
    tiers=("results", "citations", "annotations", "sources"),
    first_only=True,
    reads_pages=True,
)
