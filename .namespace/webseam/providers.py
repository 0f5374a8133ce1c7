"""What a provider of models is declared with; see docs/providers.md."""

from .adapters.models.declaration.account import (
    Account,
    Login,
    Outgoing,
    bearer,
    key_in,
    read_account,
)
from .adapters.models.declaration.efforts import clamp_effort
from .adapters.models.declaration.fields import Efforts, FieldRules, ModelRule
from .adapters.models.declaration.provider import (
    ApiMode,
    Changes,
    ExtraBody,
    Headers,
    HistoryRules,
    HttpDetails,
    MessagesFacts,
    Option,
    Provider,
    ResponsesFacts,
)
from .adapters.models.declaration.rules import effort_of
from .adapters.models.declaration.wire import WireRequest
from .adapters.models.wires.preview import preview
from .ports.models.chat import ChatRequest, Effort, Message, Tool

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
    "Tool",
    "WireRequest",
    "bearer",
    "clamp_effort",
    "effort_of",
    "key_in",
    "preview",
    "read_account",
]
