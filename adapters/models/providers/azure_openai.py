"""OpenAI's models on a resource of your own at Azure; the model is your deployment's name.

``AZURE_OPENAI_ENDPOINT`` may be the bare address of the resource, as the portal shows it.
"""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Failure, Result

from ....ports.errors import NotConfigured
from ..declaration.account import Account, key_in, read_account
from ..declaration.base_urls import path_of
from ..declaration.provider import Provider
from .openai import OPENAI, OPENAI_MODELS

_ENDPOINTS = ("AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_FOUNDRY_BASE_URL")
_PATH = "/openai/v1"


def read_resource(
    provider: Provider, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take the resource's address from any of its variables, and complete it."""
    given = (environment.get(name, "").strip() for name in _ENDPOINTS)
    base = next((value for value in given if value), "").rstrip("/")
    whole = base + _PATH if base and not path_of(base) else base
    read = read_account(replace(provider, base_url=whole or provider.base_url), environment)
    if isinstance(read, Failure) and read.failure().setting == "base_url":
        return Failure(replace(read.failure(), setting=" or ".join(_ENDPOINTS)))
    return read


AZURE_OPENAI = Provider(
    name="azure-openai",
    aliases=("azure", "azure-foundry", "azure-ai-foundry", "azure-ai"),
    title="Azure OpenAI",
    site="https://learn.microsoft.com/azure/ai-foundry",
    env=("AZURE_OPENAI_API_KEY", "AZURE_FOUNDRY_API_KEY"),
    account=read_resource,
    auth=key_in("api-key"),
    max_tokens_field="max_completion_tokens",
    efforts=OPENAI.efforts,
    models=OPENAI_MODELS,
    reasoning_fields=frozenset(),
    images_in_tool_results=False,
)

# Encrypted reasoning is taken back here for the newest turn alone and not after tools, so none is
# asked for.
AZURE_OPENAI_RESPONSES = replace(
    AZURE_OPENAI,
    name="azure-openai-responses",
    aliases=("azure-responses",),
    title="Azure OpenAI (Responses)",
    api_mode="responses",
    images_in_tool_results=True,
)
