"""What a provider of models is declared with; see docs/providers.md."""

from .adapters.features.models.declaration.provider import (
    Account,
    ApiMode,
    Changes,
    Efforts,
    ExtraBody,
    FieldRules,
    Headers,
    HistoryRules,
    HttpDetails,
    Login,
    MessagesFacts,
    ModelRule,
    Option,
    Outgoing,
    Provider,
    ResponsesFacts,
    bearer,
    key_in,
    read_account,
)
from .adapters.features.models.declaration.rules import clamp_effort, effort_of
from .adapters.features.models.declaration.wire import WireRequest
from .adapters.features.models.wires.preview import preview
from .ports.models import ChatRequest, Effort, Message, Tool
from .ports.secrets import Secret

__all__ = [
    "Account",
    "ApiMode",
    "Changes",
    "ChatRequest",
    "Effort",
    "Efforts",
    "ExtraBody",
    "FieldRules",
    "Headers",
    "HistoryRules",
    "HttpDetails",
    "Login",
    "Message",
    "MessagesFacts",
    "ModelRule",
    "Option",
    "Outgoing",
    "Provider",
    "ResponsesFacts",
    "Secret",
    "Tool",
    "WireRequest",
    "bearer",
    "clamp_effort",
    "effort_of",
    "key_in",
    "preview",
    "read_account",
]
