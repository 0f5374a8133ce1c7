"""What a provider of models is declared with; see docs/providers.md."""

from .adapters.models.declaration.account import Account, Outgoing, bearer, key_in, read_account
from .adapters.models.declaration.efforts import clamp_effort
from .adapters.models.declaration.provider import (
    ApiMode,
    Efforts,
    ExtraBody,
    Headers,
    ModelRule,
    Option,
    Provider,
)
from .adapters.models.declaration.rules import effort_of
from .adapters.models.declaration.wire import WireRequest
from .adapters.models.wires.preview import preview
from .ports.models import ChatRequest, Effort, Message, Tool

__all__ = [
    "Account",
    "ApiMode",
    "ChatRequest",
    "Effort",
    "Efforts",
    "ExtraBody",
    "Headers",
    "Message",
    "ModelRule",
    "Option",
    "Outgoing",
    "Provider",
    "Tool",
    "WireRequest",
    "bearer",
    "clamp_effort",
    "effort_of",
    "key_in",
    "preview",
    "read_account",
]
