"""Perplexity: Agent API, and ``perplexity-chat``. It answers 401 to an empty balance too."""

from collections.abc import Sequence

from msgspec.structs import replace

from ....ports.models import Tool
from ..declaration.provider import Changes, HttpDetails, Login, Provider, ResponsesFacts
from ..schemas import Schema, change_model_tool_schemas


def with_perplexity_properties(tools: Sequence[Tool], _model: str) -> Sequence[Tool]:
    """Return the tools with ``properties`` in every object schema, which the API requires."""
    return change_model_tool_schemas(tools, _perplexity_schema_node)


def _perplexity_schema_node(node: Schema) -> Schema:
    return node if node.get("type") != "object" else {"properties": {}, **node}


PERPLEXITY = Provider(
    name="perplexity", aliases=("pplx", "sonar"), title="Perplexity",
    site="https://docs.perplexity.ai", api_mode="responses",
    login=Login(
        env=("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"), base_url="https://api.perplexity.ai",
        base_url_env="PERPLEXITY_BASE_URL",
    ),
    http=HttpDetails(path="/v1/responses"),
    changes=Changes(sanitize_tools=with_perplexity_properties),
    auxiliary_model="sonar", responses=ResponsesFacts(typed_items=True),
)  # fmt: skip

PERPLEXITY_CHAT = replace(
    PERPLEXITY, name="perplexity-chat", aliases=("sonar-chat",), title="Perplexity (Sonar chat)",
    api_mode="chat_completions", http=replace(PERPLEXITY.http, path=None),
    history=replace(PERPLEXITY.history, reasoning_fields=frozenset()),
    fields=replace(PERPLEXITY.fields, stream_usage=False),
)  # fmt: skip
