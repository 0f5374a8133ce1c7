"""Any OpenAI-compatible endpoint whose model searches: Sonar, a gateway, LiteLLM, vLLM.

The query is the whole prompt. Such servers differ in their citations, so only the best tier that an
answer has gives rows; links in the prose do not count.
"""

from webseam.ports.models import ChatRequest

from ...providers.custom import CUSTOM
from ..declaration import SearchModel, search_query_messages

SEARCH_MODEL = SearchModel(
    name="custom",
    title="A model of your own that searches",
    provider=CUSTOM,
    model="sonar",
    # The query alone, without fields that a strict server might refuse.
    ask=lambda query, model: ChatRequest(model=model, messages=search_query_messages(query)),
    note=(
        "Any OpenAI-compatible endpoint: set custom_base_url, and custom_model and custom_api_key "
        "where they are needed. It takes no filters."
    ),
    tiers=("results", "citations", "annotations", "sources"),
    first_only=True,
    reads_pages=True,
)
