"""xAI: Grok over Responses, with its own web_search and x_search tools.

A stable ``x-grok-conv-id`` keeps a conversation on the server with its cache.
"""

from collections.abc import Sequence

from webseam.adapters.values.json_values import text
from webseam.ports.models import ChatRequest, Message
from webseam.ports.planning import TokenPrice

from ..declaration import provider
from ..declaration.rules import drop_message_fields
from ..schemas import Schema, change_tool_parameters

CONVERSATION_HEADER = "x-grok-conv-id"
_LOW_TO_HIGH: provider.Efforts = ("low", "medium", "high")
_REFUSED_MESSAGE_FIELDS = frozenset({"name"})
_PRICES_PAGE = "https://docs.apiyi.com/en/api-capabilities/grok/overview"


def grok_conversation_header(request: ChatRequest) -> provider.Headers:
    """Return the header with the conversation's id, if the session has a name."""
    return ((CONVERSATION_HEADER, request.session),) if request.session else ()


def drop_message_names(messages: Sequence[Message], _model: str) -> Sequence[Message]:
    """Return the messages without ``name``, which xAI refuses."""
    return drop_message_fields(messages, _REFUSED_MESSAGE_FIELDS)


def _describe_enum(node: Schema) -> Schema:
    values = node.get("enum")
    if not isinstance(values, list) or not any("/" in text(value) for value in values):
        return node
    choices = f"One of: {', '.join(map(str, values))}"
    described = f"{node['description']} {choices}" if node.get("description") else choices
    rest = {key: value for key, value in node.items() if key != "enum"}
    return {**rest, "description": described}


XAI = provider.Provider(
    name="xai",
    aliases=("grok", "x-ai", "x.ai"),
    title="xAI",
    site="https://docs.x.ai",
    api_mode="responses",
    login=provider.Login(
        env=("XAI_API_KEY",), base_url="https://api.x.ai/v1", base_url_env="XAI_BASE_URL"
    ),
    http=provider.HttpDetails(request_headers=grok_conversation_header),
    fields=provider.FieldRules(
        # Other models refuse an effort.
        efforts=(),
        models=(
            provider.ModelRule(contains="grok-3-mini", efforts=("low", "high")),
            provider.ModelRule(contains="grok-4.20-multi-agent", efforts=(*_LOW_TO_HIGH, "xhigh")),
            *(
                provider.ModelRule(contains=f"grok-4.{minor}", efforts=_LOW_TO_HIGH)
                for minor in (3, 4, 5)
            ),
            *(
                provider.ModelRule(contains=name, efforts=(*_LOW_TO_HIGH, "xhigh"))
                for name in ("grok-4.6", "grok-4.7", "grok-4.8", "grok-4.9", "grok-5")
            ),
        ),
        drop=frozenset({"presence_penalty", "frequency_penalty", "stop", "service_tier"}),
        prompt_cache_key=True,
    ),
    changes=provider.Changes(
        prepare_messages=drop_message_names,
        # Enums with a slash go into the description: xAI answers 400 to them.
        sanitize_tools=lambda tools, _model: change_tool_parameters(tools, _describe_enum),
    ),
    auxiliary_model="grok-4.5",
    history=provider.HistoryRules(reserved_tools=frozenset({"web_search", "tool_search"})),
    responses=provider.ResponsesFacts(chained_instructions=False, encrypted_reasoning=True),
    # A reseller's page, which says that xAI's prices are the same. Answers report their own cost.
    prices={
        "grok-4.5": TokenPrice(input=2, output=6, cached=0.5, page=_PRICES_PAGE, read="2026-11-15"),
        "grok-4.3": TokenPrice(input=1.25, output=2.5, page=_PRICES_PAGE, read="2026-11-15"),
    },
)
