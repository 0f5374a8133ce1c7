"""Gemini on Google's OpenAI-compatible surface, from AI Studio or from Vertex.

The body here really has a field ``extra_body``; Google reads its own settings from inside it.
Signatures of thoughts stand on tool calls and must come back with them.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Result

from ....ports.errors import NotConfigured
from ....ports.models.chat import ChatRequest
from ....ports.planning import TokenPrice
from ..declaration.provider import (
    Account,
    Changes,
    Efforts,
    HistoryRules,
    Login,
    Provider,
    key_in,
    read_account,
    unset_error,
)
from ..declaration.rules import clamp_effort

_NATIVE = "/v1beta"
_VERSION = re.compile(r"gemini-(\d{1,4})(?!\d)")
_MIN_LEVELS_VERSION = 3
_PLACE = re.compile(r"[a-z0-9-]+")
_PROJECT = re.compile(r"[a-z0-9.:-]+")


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for thoughts, and from Gemini 3 on for a level; Gemma and others refuse both."""
    effort, version = request.reasoning_effort, _VERSION.search(request.model.lower())
    if effort is None or version is None:
        return {}
    config: dict[str, object] = {"include_thoughts": effort != "none"}
    if effort != "none" and int(version.group(1)) >= _MIN_LEVELS_VERSION:
        pro = "pro" in request.model.lower()
        known: Efforts = ("low", "high") if pro else ("low", "medium", "high")
        config["thinking_level"] = clamp_effort(effort, known)
    return {"extra_body": {"google": {"thinking_config": config}}}


def read_studio(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Read the account; an address of the native API leads to the compatible one beside it."""
    return read_account(login, title, environment).map(_compatible)


def _compatible(account: Account) -> Account:
    native = account.base_url.endswith(_NATIVE)
    return replace(account, base_url=f"{account.base_url}/openai") if native else account


def read_native(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Read the account; an address of the compatible API leads to the native one beside it."""
    return read_account(login, title, environment).map(
        lambda account: replace(account, base_url=account.base_url.removesuffix("/openai"))
    )


def read_vertex(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Make the address out of project and location, unless one is set."""
    if login.base_url or environment.get(login.base_url_env or "", "").strip():
        return read_account(login, title, environment)
    project = environment.get("GOOGLE_CLOUD_PROJECT", "").strip()
    place = environment.get("GOOGLE_CLOUD_LOCATION", "").strip() or "global"
    if not _PROJECT.fullmatch(project):
        reason = "Vertex needs the id of your project" if not project else "This is no project's id"
        return unset_error(reason, "GOOGLE_CLOUD_PROJECT")
    if not _PLACE.fullmatch(place):
        return unset_error("This is no location", "GOOGLE_CLOUD_LOCATION")
    host = "aiplatform" if place == "global" else f"{place}-aiplatform"
    path = f"/v1/projects/{project}/locations/{place}/endpoints/openapi"
    base = f"https://{host}.googleapis.com{path}"
    return read_account(replace(login, base_url=base), title, environment)


PRICES = {
    # Until the end of 2026; twice as much from then on.
    "gemini-3.6-flash": TokenPrice(
        input=0.75,
        output=3.75,
        cached=0.075,
        page="https://ai.google.dev/gemini-api/docs/pricing#gemini-3.6-flash",
        read="2026-11-15",
    ),
}

GEMINI = Provider(
    name="gemini",
    aliases=("google", "google-gemini", "google-ai-studio"),
    title="Google Gemini",
    site="https://ai.google.dev",
    login=Login(
        env=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        base_url_env="GEMINI_BASE_URL",
        read=read_studio,
    ),
    changes=Changes(reasoning=reasoning),
    auxiliary_model="gemini-3.6-flash",
    history=HistoryRules(tool_call_extras=True),
    prices=PRICES,
)

GEMINI_NATIVE = Provider(
    name="gemini-native",
    aliases=("google-native",),
    title="Google Gemini (its own API)",
    site="https://ai.google.dev",
    api_mode="gemini_generate",
    login=Login(
        env=GEMINI.login.env,
        base_url="https://generativelanguage.googleapis.com/v1beta",
        base_url_env="GEMINI_BASE_URL",
        read=read_native,
        prove=key_in("x-goog-api-key"),
    ),
    auxiliary_model="gemini-3.6-flash",
    prices=PRICES,
)

VERTEX = replace(
    GEMINI,
    name="vertex",
    aliases=("google-vertex", "vertex-ai", "gcp-vertex"),
    title="Google Vertex AI",
    site="https://cloud.google.com/vertex-ai",
    login=replace(
        GEMINI.login,
        # What `gcloud auth print-access-token` prints.
        env=("VERTEX_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN"),
        base_url="",
        base_url_env="VERTEX_BASE_URL",
        place_env=("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"),
        read=read_vertex,
    ),
    auxiliary_model="google/gemini-3.6-flash",
)
