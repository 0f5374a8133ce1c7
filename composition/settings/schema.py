"""Every setting: its name, its type, what it is when nobody says. Building one checks nothing."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from ...adapters.pages.settings import BrowserSettings, Rendering
from ...kernel.planner.money import Budgets, Dollars
from ...kernel.planner.routes import RouteStep
from ...kernel.policy.policy_rules import PolicySettings
from ...kernel.text.display import one_line
from ...kernel.text.redaction import redact
from ...ports.secrets import Secret
from .entries import Entries, Variables

TRUST_SETTING = "WEBSEAM_TRUST_FOLDER"
Standing: TypeAlias = Literal["trusted", "new", "changed", "anothers", "unknown"]
_MAX_NAMES = 5
_MAX_NAME_CHARS = 80
_MAX_LINE_CHARS = 2_000
_WHY: Mapping[Standing, str] = {
    "trusted": "needs your yes first",
    "new": "needs your yes first",
    "changed": "has changed since you trusted it",
    "anothers": "belongs to another user",
    "unknown": "needs your yes first",
}


class IgnoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A variable or setting of a working folder that is not used, by name alone, and its place."""

    name: str
    file: str
    line: int | None = None


class FolderReport(msgspec.Struct, frozen=True, kw_only=True):
    """A working folder that brings settings: whether it is trusted, and what is not used of it.

    ``problem`` says why the record of trusted folders could not be used.
    """

    folder: str = ""
    standing: Standing = "trusted"
    left_out: tuple[IgnoredEntry, ...] = ()
    problem: str = ""

    @property
    def sentence(self) -> str:
        """Say in one line what is left out and how to allow it; nothing when nothing is."""
        names = list(dict.fromkeys(one_line(one.name, _MAX_NAME_CHARS) for one in self.left_out))
        if not names:
            return one_line(self.problem, _MAX_LINE_CHARS)
        more = len(names) - _MAX_NAMES
        words = ", ".join(names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
        files = ", ".join(dict.fromkeys(one.file for one in self.left_out))
        problem = f" {self.problem}" if self.problem else ""
        return one_line(
            f"{files} {_WHY[self.standing]}; left out: {words}. "
            "`webseam trust` shows and allows it, as does --trust-folder or "
            f"{TRUST_SETTING}=1.{problem}",
            _MAX_LINE_CHARS,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """Name each thing that is left out, and its place; values are never shown."""
        places = (
            (one.name, one.file if one.line is None else f"{one.file}:{one.line}")
            for one in self.left_out
        )
        return tuple(one_line(f"left out: {name} ({place})") for name, place in places)


Seconds = Annotated[float, Meta(gt=0, le=3600)]
Minutes = Annotated[float, Meta(gt=0, le=43_200)]
Megabytes = Annotated[int, Meta(ge=1, le=1_048_576)]
Count = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


def _no_secret() -> Secret:
    return Secret("")


class CacheSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whether answers are kept, for how long, and how many megabytes of them."""

    enabled: bool = True
    minutes: Minutes = 20.0
    size: Megabytes = 256


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a browser shows a page, which program, and its sandbox."""

    mode: Rendering = "never"
    browser: str | None = None
    sandbox: bool = True

    @property
    def program(self) -> BrowserSettings:
        """The browser alone, as the renderer wants it."""
        return BrowserSettings(browser=self.browser, sandbox=self.sandbox)


class CompressorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What shortens long pages: a model of a provider, the words alone, or nothing.

    A ``route`` names several models in turn, such as ``anthropic`` or ``openai/gpt-5-mini``.
    """

    kind: Literal["none", "extractive", "model"] = "none"
    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class SmallWorkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which model does small work; without a name, the one that its provider keeps for it.

    A ``route`` names several in turn.
    """

    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which model turns texts into vectors; ``dimensions`` where it can make shorter ones.

    ``index`` has it embed whatever ``webseam index add`` and ``refresh`` take in.
    """

    provider: Name | None = None
    model: Name | None = None
    dimensions: Annotated[int, Meta(ge=1, le=65_536)] | None = None
    index: bool = False


class RerankSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which model puts results in the order of how well they answer."""

    provider: Name | None = None
    model: Name | None = None


class AskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Who answers questions with sources, who judges the answers, and how long one may take.

    Without a provider the answer is made of the pages' own sentences. ``offer`` tells agents of
    the tool even so.
    """

    provider: Name | None = None
    model: Name | None = None
    check: Literal["words", "model", "rerank"] = "words"
    seconds: Seconds = 120.0
    offer: bool = False


class XSearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How X is searched. None leaves the choice to the tool; a ``route`` names models in turn.

    ``price`` is the most that one search may cost, in dollars: with a budget it has to be said.
    """

    model: Name | None = None
    route: tuple[Name, ...] = ()
    reasoning_effort: Literal["low", "medium", "high", "xhigh"] | None = None
    timeout_seconds: Seconds = 180.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    price: Dollars | None = None


class PlannerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When the next of a route is asked for an answer that is late, and how often.

    Without ``hedge_after`` seconds, an answer is late when it takes longer than this backend's
    nearly always do. ``hedge_share`` of all calls may be asked twice for it.
    """

    hedge_after: Seconds | None = None
    hedge_share: Annotated[float, Meta(ge=0, le=1)] = 0.05


class McpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the tools are served over MCP. ``result_limit`` is in tokens; the rest is for HTTP.

    ``hosts`` are names of this server, ``origins`` those of pages that may call it. ``token`` is
    what its owner calls with. With an ``issuer`` callers come with tokens of that OAuth server,
    made for ``resource``, which is the address of this one; ``jwks`` is where the keys are that
    they are signed with, a file or a URL, and ``scopes`` what they must allow.
    """

    result_limit: Annotated[int, Meta(ge=2000, le=1_000_000)] = 20_000
    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8808
    hosts: tuple[Name, ...] = ()
    origins: tuple[str, ...] = ()
    token: Secret = msgspec.field(default_factory=_no_secret)
    resource: str | None = None
    issuer: str | None = None
    jwks: str | None = None
    scopes: tuple[Name, ...] = ()


class PluginSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which plugins run, where else they are looked for, and how long one callback may take."""

    enabled: tuple[Name, ...] = ()
    disabled: tuple[Name, ...] = ()
    folder: str | None = None
    timeout: Seconds = 60.0


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the gateway listens, who may call it, and how much at once.

    On this machine alone it needs no key, unless a ``token`` is set or ``require_key``. ``hosts``
    are the names it goes by, ``origins`` the pages that may call it, ``proxies`` the addresses of
    those that may pass calls on. After ``drain`` seconds nobody waits for calls any more.
    ``workers`` is how many processes share the port.
    """

    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8787
    token: Secret = msgspec.field(default_factory=_no_secret)
    require_key: bool = False
    hosts: tuple[Name, ...] = ()
    origins: tuple[Name, ...] = ()
    proxies: tuple[Name, ...] = ()
    certificate: str | None = None
    certificate_key: str | None = None
    body_kilobytes: Annotated[int, Meta(ge=1, le=65_536)] = 1024
    timeout: Seconds = 50.0
    drain: Seconds = 20.0
    at_once: Annotated[int, Meta(ge=1, le=10_000)] = 64
    waiting: Annotated[int, Meta(ge=1, le=100_000)] = 512
    workers: Annotated[int, Meta(ge=1, le=64)] = 1


class StoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where several machines keep what they share: addresses, which may hold passwords.

    ``postgres`` keeps the gateway's keys and what is spent, ``valkey`` the answers. A ``ledger``
    that is ``local`` stays in a file of this machine.
    """

    postgres: Secret = msgspec.field(default_factory=_no_secret)
    valkey: Secret = msgspec.field(default_factory=_no_secret)
    ledger: Literal["shared", "local"] = "shared"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, checked. ``entries`` and ``variables`` hold what only its owner can read.

    Those are the blocks ``services``, ``providers`` and ``json``, and the variables that services
    declare. ``folder`` says what of the working folder is not used. No key shows in a repr.
    """

    backend: Name | None = None
    search_backend: Name | None = None
    extract_backend: Name | None = None
    route: tuple[str | RouteStep, ...] = ()
    search_route: tuple[str | RouteStep, ...] = ()
    extract_route: tuple[str | RouteStep, ...] = ()
    model_route: tuple[Name, ...] = ()
    keyless: bool = True
    custom_base_url: str | None = None
    custom_model: Name | None = None
    custom_api_key: Secret = msgspec.field(default_factory=_no_secret)
    custom_allow_plain_http: bool = False
    proxy: Secret = msgspec.field(default_factory=_no_secret)
    extract_char_limit: Count | None = None
    extract_comments: bool = False
    timeout: Seconds = 30.0
    deadline: Seconds = 300.0
    cache: CacheSettings = CacheSettings()
    policy: PolicySettings = PolicySettings()
    render: RenderSettings = RenderSettings()
    compressor: CompressorSettings = CompressorSettings()
    small_work: SmallWorkSettings = SmallWorkSettings()
    vision: SmallWorkSettings = SmallWorkSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    rerank: RerankSettings = RerankSettings()
    ask: AskSettings = AskSettings()
    x_search: XSearchSettings = XSearchSettings()
    planner: PlannerSettings = PlannerSettings()
    budgets: Budgets = Budgets()
    mcp: McpSettings = McpSettings()
    plugins: PluginSettings = PluginSettings()
    serve: ServeSettings = msgspec.field(default_factory=ServeSettings)
    stores: StoreSettings = msgspec.field(default_factory=StoreSettings)
    entries: Entries = msgspec.field(default_factory=Entries)
    variables: Variables = msgspec.field(default_factory=Variables)
    file: str = ""
    warnings: tuple[str, ...] = ()
    folder: FolderReport = FolderReport()

    def __repr__(self) -> str:
        shared = (self.stores.postgres, self.stores.valkey)
        secrets = (self.custom_api_key, self.proxy, self.serve.token, *shared)
        return redact(super().__repr__(), [secret.reveal() for secret in secrets])
