"""Kimi, by Moonshot: no temperature, strict tool schemas, and effort or thinking but not both.

Keys that begin with ``sk-kimi-`` are good at another address than the others, which refuses
callers that do not say who they are.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Result

from ....ports.errors import NotConfigured
from ....ports.models.chat import ChatRequest, Effort
from ..declaration.provider import (
    AGENT,
    TITLE,
    Account,
    Changes,
    Efforts,
    FieldRules,
    HttpDetails,
    Login,
    Provider,
    read_account,
)
from ..declaration.rules import clamp_effort

_CODING = "https://api.kimi.com/coding/v1"
_THIRD = re.compile(r"(^|/|kimi-)k3")
_K2: Efforts = ("low", "medium", "high")
_K3: Efforts = ("low", "high", "max")
_K3_INSTEAD: Mapping[Effort, Effort] = {"medium": "high", "xhigh": "max"}


def read_kimi(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Read the account, at the address that its key is good for unless another one is set."""
    overridden = environment.get(login.base_url_env or "", "").strip()
    account = read_account(login, title, environment)
    return account if overridden else account.map(_at_its_address)


def _at_its_address(account: Account) -> Account:
    coding = account.key.reveal().startswith("sk-kimi-")
    return replace(account, base_url=_CODING) if coding else account


def reasoning(request: ChatRequest) -> Mapping[str, object]:
    """Ask for a level, or else switch thinking on or off; both together are a 400."""
    model, effort = request.model.lower(), request.reasoning_effort
    if "moonshot-v1" in model:
        return {}
    if effort is None or effort == "none":
        return {"thinking": {"type": "disabled" if effort else "enabled"}}
    if _THIRD.search(model):
        return {"reasoning_effort": clamp_effort(effort, _K3, _K3_INSTEAD)}
    return {"reasoning_effort": clamp_effort(effort, _K2)}


KIMI = Provider(
    name="kimi",
    aliases=("kimi-coding", "kimi-for-coding", "moonshot", "moonshotai"),
    title="Kimi (Moonshot AI)",
    site="https://platform.moonshot.ai",
    login=Login(
        env=("KIMI_API_KEY", "KIMI_CODING_API_KEY", "MOONSHOT_API_KEY"),
        base_url="https://api.moonshot.ai/v1",
        base_url_env="KIMI_BASE_URL",
        read=read_kimi,
    ),
    http=HttpDetails(headers=(AGENT, TITLE)),
    fields=FieldRules(temperature="omit", max_tokens=32000),
    changes=Changes(reasoning=reasoning),
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
        read=read_account,
    ),
)
