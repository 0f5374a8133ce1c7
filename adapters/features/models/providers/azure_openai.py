"""OpenAI's models on your own Azure resource; the model is the name of your deployment.

``AZURE_OPENAI_ENDPOINT`` may be the resource's address without a path, as the portal shows it.
"""

from msgspec.structs import replace

from ..declaration import provider
from ..declaration.base_urls import api_path
from .openai import OPENAI, OPENAI_MODELS

_ENDPOINT_ENV = ("AZURE_OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_FOUNDRY_BASE_URL")


def read_azure_account(
    login: provider.Login, title: str, environment: provider.Environment
) -> provider.AccountResult:
    """Read the account; add the API's path to a base URL without one."""
    endpoints = (environment.get(name, "").strip() for name in _ENDPOINT_ENV)
    base = next((value for value in endpoints if value), "").rstrip("/")
    base_url = base + "/openai/v1" if base and not api_path(base) else base
    with_base_url = replace(login, base_url=base_url or login.base_url)
    has_key = any(environment.get(name, "").strip() for name in login.env)
    if has_key and not with_base_url.base_url:
        return provider.missing_setting_failure(f"{title} has no base URL", *_ENDPOINT_ENV)
    return provider.read_account(with_base_url, title, environment)


AZURE_OPENAI = provider.Provider(
    name="azure-openai",
    aliases=("azure", "azure-foundry", "azure-ai-foundry", "azure-ai"),
    title="Azure OpenAI",
    site="https://learn.microsoft.com/azure/ai-foundry",
    login=provider.Login(
        env=("AZURE_OPENAI_API_KEY", "AZURE_FOUNDRY_API_KEY"),
        place_env=_ENDPOINT_ENV,
        read=read_azure_account,
        prove=provider.key_in("api-key"),
    ),
    fields=provider.FieldRules(
        max_tokens_field="max_completion_tokens",
        efforts=OPENAI.fields.efforts,
        models=OPENAI_MODELS,
    ),
    history=provider.HistoryRules(reasoning_fields=frozenset(), images_in_tool_results=False),
)

# Azure refuses encrypted reasoning of several turns (2026-09); it accepts that of the newest turn
# beside a tool's result (recorded 2026-08).
AZURE_OPENAI_RESPONSES = replace(
    AZURE_OPENAI,
    name="azure-openai-responses",
    aliases=("azure-responses",),
    title="Azure OpenAI (Responses)",
    api_mode="responses",
    history=replace(AZURE_OPENAI.history, images_in_tool_results=True),
    responses=provider.ResponsesFacts(encrypted_reasoning=True, newest_reasoning_only=True),
)
