"""OpenAI's chat completions with ``search_results``, as Perplexity has them, and Responses.

A chat is a search for its last question: the rows come back as text with citations. Responses
returns a model's answer from the rows, if a model is configured.
https://platform.openai.com/docs/api-reference/chat (read 2026-11-15)
"""

from ...asks import Dialect, Endpoint, accept_call, header_keys
from ...replies import Call, Reply, json_reply, openai_refusal_reply
from ...search_filters import PERPLEXITY_FIELD_NAMES
from .chat_completions import ChatBody, read_chat_call
from .chat_messages import CHAT_DEFAULTS, CHAT_IDLE_FIELDS, MODEL_NAME
from .responses import RESPONSES_IDLE_FIELDS, ResponsesBody, read_responses_call


def _models_reply(_call: Call) -> Reply:
    model = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": MODEL_NAME}
    return json_reply({"object": "list", "data": [model]})


DIALECT = Dialect(
    name="openai",
    title="OpenAI chat completions and Responses",
    keys=header_keys,
    names={**PERPLEXITY_FIELD_NAMES, "country": "user_location"},
    refuse=openai_refusal_reply,
    endpoints=tuple(
        endpoint
        for version in ("/v1", "")
        for endpoint in (
            Endpoint(
                path=f"{version}/chat/completions",
                read=read_chat_call,
                shape=ChatBody,
                idle=CHAT_IDLE_FIELDS,
                defaults=CHAT_DEFAULTS,
                root=accept_call,
            ),
            Endpoint(
                path=f"{version}/responses",
                read=read_responses_call,
                shape=ResponsesBody,
                idle=RESPONSES_IDLE_FIELDS,
                defaults=CHAT_DEFAULTS,
                root=accept_call,
            ),
            Endpoint(
                method="GET",
                path=f"{version}/models",
                read=_models_reply,
                root=accept_call,
                tool=None,
            ),
        )
    ),
)
