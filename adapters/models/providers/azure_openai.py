"""OpenAI's models on a resource of your own at Azure; the model is your deployment's name.

``AZURE_OPENAI_ENDPOINT`` may be the bare address of the resource, as the portal shows it.
"""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Result

from ....ports.errors import NotConfigured
from ..declaration.base_urls import url_path
from ..declaration.provider import (
    Account,
    FieldRules,
    HistoryRules,
    Login,
    Provider,
    key_in,
    read_account,
    unset_error,
)
from .openai import OPENAI, OPENAI_MODELS

_ENDPOINTS = ("AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_FOUNDRY_BASE_URL")
_PATH = "/openai/v1"


def read_resource(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take the resource's address from any of its variables, and complete it."""
    endpoints = (environment.get(name, "").strip() for name in _ENDPOINTS)
    base = next((value for value in endpoints if value), "").rstrip("/")
    whole = base + _PATH if base and not url_path(base) else base
    named = replace(login, base_url=whole or login.base_url)
    has_key = any(environment.get(name, "").strip() for name in login.env)
    if has_key and not named.base_url:
        return unset_error(f"{title} has no base URL", *_ENDPOINTS)
    return read_account(named, title, environment)


AZURE_OPENAI = Provider(
    name="azure-openai",
    aliases=("azure", "azure-foundry", "azure-ai-foundry", "azure-ai"),
    title="Azure OpenAI",
    site="https://learn.microsoft.com/azure/ai-foundry",
    login=Login(
        env=("AZURE_OPENAI_API_KEY", "AZURE_FOUNDRY_API_KEY"),
        place_env=_ENDPOINTS,
        read=read_resource,
        prove=key_in("api-key"),
    ),
    fields=FieldRules(
        max_tokens_field="max_completion_tokens",
        efforts=OPENAI.fields.efforts,
        models=OPENAI_MODELS,
    ),
    history=HistoryRules(reasoning_fields=frozenset(), images_in_tool_results=False),
)

# Encrypted reasoning is taken back here for the newest turn alone and not after tools, so none is
# asked for.
AZURE_OPENAI_RESPONSES = replace(
    AZURE_OPENAI,
    name="azure-openai-responses",
    aliases=("azure-responses",),
    title="Azure OpenAI (Responses)",
    api_mode="responses",
    history=replace(AZURE_OPENAI.history, images_in_tool_results=True),
)
