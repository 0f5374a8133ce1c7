"""Gemini on Google's OpenAI-compatible API, in AI Studio or Vertex.

The body has a field named ``extra_body``, in which Google reads its own settings. Thought
signatures are on tool calls and must be sent back with them.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from webseam.ports.models import ChatRequest
from webseam.ports.planning import TokenPrice

from ..declaration import provider
from ..gemini_thinking import gemini_thinking

_LOCATION_PATTERN = re.compile(r"[a-z0-9-]+")
_PROJECT_PATTERN = re.compile(r"[a-z0-9.:-]+")
GEMINI_PRICES = {
    # Until the end of 2026; the price doubles after that.
    "gemini-3.6-flash": TokenPrice(
        input=0.75, output=3.75, cached=0.075,
        page="https://ai.google.dev/gemini-api/docs/pricing#gemini-3.6-flash", read="2026-11-15",
    ),
}  # fmt: skip


def gemini_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return the fields for thoughts, inside Google's own."""
    config = gemini_thinking(request.reasoning_effort, request.model)
    return {"extra_body": {"google": {"thinking_config": config}}} if config else {}


def _use_chat_url(account: provider.Account) -> provider.Account:
    """Turn a base URL of the native API into that of the compatible one."""
    is_native = account.base_url.endswith("/v1beta")
    return replace(account, base_url=f"{account.base_url}/openai") if is_native else account


def _use_native_url(account: provider.Account) -> provider.Account:
    return replace(account, base_url=account.base_url.removesuffix("/openai"))


def read_vertex_account(
    login: provider.Login, title: str, environment: provider.Environment
) -> provider.AccountResult:
    """Read the account; make the base URL from project and location unless one is set."""
    if login.base_url or environment.get(login.base_url_env or "", "").strip():
        return provider.read_account(login, title, environment)
    project = environment.get("GOOGLE_CLOUD_PROJECT", "").strip()
    location = environment.get("GOOGLE_CLOUD_LOCATION", "").strip() or "global"
    if not _PROJECT_PATTERN.fullmatch(project):
        reason = "This is not a project id" if project else "Vertex needs the id of your project"
        return provider.missing_setting_failure(reason, "GOOGLE_CLOUD_PROJECT")
    if not _LOCATION_PATTERN.fullmatch(location):
        return provider.missing_setting_failure("This is not a location", "GOOGLE_CLOUD_LOCATION")
    host = "aiplatform" if location == "global" else f"{location}-aiplatform"
    path = f"/v1/projects/{project}/locations/{location}/endpoints/openapi"
    base = f"https://{host}.googleapis.com{path}"
    return provider.read_account(replace(login, base_url=base), title, environment)


GEMINI = provider.Provider(
    name="gemini",
    aliases=("google", "google-gemini", "google-ai-studio"),
    title="Google Gemini",
    site="https://ai.google.dev",
    login=provider.Login(
        env=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        base_url_env="GEMINI_BASE_URL",
        read=provider.make_account_reader(_use_chat_url),
    ),
    changes=provider.Changes(reasoning=gemini_reasoning),
    auxiliary_model="gemini-3.6-flash",
    history=provider.HistoryRules(tool_call_extras=True),
    prices=GEMINI_PRICES,
)

GEMINI_NATIVE = provider.Provider(
    name="gemini-native",
    aliases=("google-native",),
    title="Google Gemini (its own API)",
    site="https://ai.google.dev",
    api_mode="gemini_generate",
    login=provider.Login(
        env=GEMINI.login.env,
        base_url="https://generativelanguage.googleapis.com/v1beta",
        base_url_env="GEMINI_BASE_URL",
        read=provider.make_account_reader(_use_native_url),
        prove=provider.key_in("x-goog-api-key"),
    ),
    auxiliary_model="gemini-3.6-flash",
    prices=GEMINI_PRICES,
)

VERTEX = replace(
    GEMINI,
    name="vertex",
    aliases=("google-vertex", "vertex-ai", "gcp-vertex"),
    title="Google Vertex AI",
    site="https://cloud.google.com/vertex-ai",
    login=replace(
        GEMINI.login,
        # The output of `gcloud auth print-access-token`.
        env=("VERTEX_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN"),
        base_url="",
        base_url_env="VERTEX_BASE_URL",
        place_env=("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
        read=read_vertex_account,
    ),
    auxiliary_model="google/gemini-3.6-flash",
)
