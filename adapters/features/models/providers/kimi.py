"""Kimi by Moonshot: no temperature, strict tool schemas, and either effort or thinking.

Keys that begin with ``sk-kimi-`` have another base URL, which refuses calls without a user agent.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from webseam.ports.models import ChatRequest, Effort

from ..declaration import provider
from ..declaration.rules import clamp_effort

_CODING_BASE_URL = "https://api.kimi.com/coding/v1"
_K3_PATTERN = re.compile(r"(^|/|kimi-)k3")
_K3_EFFORTS: provider.Efforts = ("low", "high", "max")
_K3_EFFORT_REPLACEMENTS: Mapping[Effort, Effort] = {"medium": "high", "xhigh": "max"}


def read_kimi_account(
    login: provider.Login, title: str, environment: provider.Environment
) -> provider.AccountResult:
    """Read the account, with the base URL for its kind of key unless one is set."""
    overridden = environment.get(login.base_url_env or "", "").strip()
    account = provider.read_account(login, title, environment)
    return account if overridden else account.map(_choose_base_url)


def _choose_base_url(account: provider.Account) -> provider.Account:
    is_coding_key = account.key.reveal().startswith("sk-kimi-")
    return replace(account, base_url=_CODING_BASE_URL) if is_coding_key else account


def kimi_reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Return a level or the thinking switch; the API answers 400 to both together."""
    model, effort = request.model.lower(), request.reasoning_effort
    if "moonshot-v1" in model:
        return {}
    if effort is None or effort == "none":
        return {"thinking": {"type": "disabled" if effort else "enabled"}}
    if _K3_PATTERN.search(model):
        return {"reasoning_effort": clamp_effort(effort, _K3_EFFORTS, _K3_EFFORT_REPLACEMENTS)}
    return {"reasoning_effort": clamp_effort(effort, ("low", "medium", "high"))}


KIMI = provider.Provider(
    name="kimi",
    aliases=("kimi-coding", "kimi-for-coding", "moonshot", "moonshotai"),
    title="Kimi (Moonshot AI)",
    site="https://platform.moonshot.ai",
    login=provider.Login(
        env=("KIMI_API_KEY", "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY"),
        base_url="https://api.moonshot.ai/v1",
        base_url_env="KIMI_BASE_URL",
        read=read_kimi_account,
    ),
    http=provider.HttpDetails(headers=(provider.AGENT, provider.TITLE)),
    fields=provider.FieldRules(temperature="omit", max_tokens=32000),
    changes=provider.Changes(reasoning=kimi_reasoning),
    auxiliary_model="kimi-k2-turbo-preview",
)

KIMI_CN = replace(
    KIMI,
    name="kimi-cn",
    aliases=("kimi-coding-cn", "moonshot-cn"),
    title="Kimi (Moonshot AI, China)",
    site="https://platform.moonshot.cn",
    login=replace(
        KIMI.login,
        env=("KIMI_CN_API_KEY",),
        base_url="https://api.moonshot.cn/v1",
        base_url_env="KIMI_CN_BASE_URL",
        read=provider.read_account,
    ),
)
