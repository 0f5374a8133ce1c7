"""Perplexity: Agent API, and ``perplexity-chat``. It answers 401 to an empty balance too."""

from msgspec.structs import replace

from ..declaration.provider import Changes, HttpDetails, Login, Provider, ResponsesFacts
from ..schemas import Schema, change_tool_parameters


def _add_properties(node: Schema) -> Schema:
    """Add ``properties`` to an object schema: the API requires them."""
    return node if node.get("type") != "object" else {"properties": {}, **node}


PERPLEXITY = Provider(
    name="perplexity",
    aliases=("pplx", "sonar"),
    title="Perplexity",
    site="https://docs.perplexity.ai",
    api_mode="responses",
    login=Login(
        env=("PERPLEXITY_API_KEY", "PERPLEXITYAI_API_KEY"),
        base_url="https://api.perplexity.ai",
        base_url_env="PERPLEXITY_BASE_URL",
    ),
    http=HttpDetails(path="/v1/responses"),
    changes=Changes(
        sanitize_tools=lambda tools, _: change_tool_parameters(tools, _add_properties),
    ),
    auxiliary_model="sonar",
    responses=ResponsesFacts(typed_items=True),
)

PERPLEXITY_CHAT = replace(
    PERPLEXITY,
    name="perplexity-chat",
    aliases=("sonar-chat",),
    title="Perplexity (Sonar chat)",
    api_mode="chat_completions",
    http=replace(PERPLEXITY.http, path=None),
    history=replace(PERPLEXITY.history, reasoning_fields=frozenset()),
    fields=replace(PERPLEXITY.fields, stream_usage=False),
)
