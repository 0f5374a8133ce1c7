"""Every setting: its name, its type and its default. Building one checks nothing."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from webseam.adapters.pages.settings import BrowserSettings, PagePreference, Rendering
from webseam.kernel.planner.money import Budgets, Dollars
from webseam.kernel.planner.routes import RouteStep
from webseam.kernel.policy.policy_rules import PolicySettings
from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import redact
from webseam.ports.secrets import Secret

from .entries import Entries, Variables

TRUST_VARIABLE = "WEBSEAM_TRUST_FOLDER"
Standing: TypeAlias = Literal["trusted", "new", "changed", "anothers", "unknown"]
_MAX_NAMES = 5
_MAX_NAME_CHARS = 80
_MAX_LINE_CHARS = 2_000
_STANDING_REASONS: Mapping[Standing, str] = {
    "trusted": "needs your yes first", "new": "needs your yes first",
    "changed": "has changed since you trusted it", "anothers": "belongs to another user",
    "unknown": "needs your yes first",
}  # fmt: skip


class IgnoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The name of a variable or setting of a working folder that is not used, and its origin."""

    name: str
    file: str
    line: int | None = None


class FolderReport(msgspec.Struct, frozen=True, kw_only=True):
    """A working folder: its trust, its unused settings, and a problem of the trust record."""

    folder: str = ""
    standing: Standing = "trusted"
    left_out: tuple[IgnoredEntry, ...] = ()
    problem: str = ""

    @property
    def sentence(self) -> str:
        """One line with the ignored names and how to allow them; empty without any."""
        names = [*dict.fromkeys(one_line(item.name, _MAX_NAME_CHARS) for item in self.left_out)]
        if not names:
            return one_line(self.problem, _MAX_LINE_CHARS)
        more = len(names) - _MAX_NAMES
        listed = ", ".join(names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
        files = ", ".join(dict.fromkeys(item.file for item in self.left_out))
        ignored = f"{files} {_STANDING_REASONS[self.standing]}; left out: {listed}."
        advice = "`webseam trust` shows and allows it, as does --trust-folder or"
        text = f"{ignored} {advice} {TRUST_VARIABLE}=1. {self.problem}"
        return one_line(text, _MAX_LINE_CHARS)

    @property
    def lines(self) -> tuple[str, ...]:
        """A line with the name and origin of each ignored entry, never with its value."""
        ends = ["" if item.line is None else f":{item.line}" for item in self.left_out]
        entries = zip(self.left_out, ends, strict=True)
        return tuple(one_line(f"left out: {item.name} ({item.file}{end})") for item, end in entries)


Seconds = Annotated[float, Meta(gt=0, le=3600)]
Minutes = Annotated[float, Meta(gt=0, le=43_200)]
Megabytes = Annotated[int, Meta(ge=1, le=1_048_576)]
Count = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1, max_length=100)]


def _no_secret() -> Secret:
    return Secret("")


class CacheSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whether answers are cached, for how long, and how many megabytes of them."""

    enabled: bool = True
    minutes: Minutes = 20.0
    size: Megabytes = 256


class RenderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a browser renders a page, which program it is, and its sandbox."""

    mode: Rendering = "never"
    browser: str | None = None
    sandbox: bool = True

    @property
    def program(self) -> BrowserSettings:
        """The settings of the browser, for the renderer."""
        return BrowserSettings(browser=self.browser, sandbox=self.sandbox)


class SigningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The key that signs requests for pages, and the address whose directory publishes it."""

    key_file: str | None = None
    agent: str | None = None


class PagesSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are requested: the preferred type, the contact that operators see, signatures.

    ``second_look`` is the share of markdown pages that are compared with their HTML.
    """

    prefer: PagePreference = "html"
    second_look: Annotated[float, Meta(ge=0, le=1)] = 0.0
    contact: Annotated[str, Meta(pattern=r"^[!-'*-~]{3,200}\Z")] | None = None
    signing: SigningSettings = SigningSettings()


class CompressorSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long pages are shortened: by a model, by extracting sentences, or not at all.

    A ``route`` names several models in turn, such as ``anthropic`` or ``openai/gpt-5-mini``.
    """

    kind: Literal["none", "extractive", "model"] = "none"
    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class SmallWorkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model for small work; by default its provider's small one. A ``route`` names several."""

    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class EmbeddingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that embeds texts; ``dimensions`` shortens its vectors where it can.

    With ``index``, ``webseam index add`` and ``refresh`` embed each document.
    """

    provider: Name | None = None
    model: Name | None = None
    dimensions: Annotated[int, Meta(ge=1, le=65_536)] | None = None
    index: bool = False


class RerankSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that ranks results by how well they answer."""

    provider: Name | None = None
    model: Name | None = None


class AskSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that answers questions with sources, the check of its claims, and its time limit.

    Without a provider, the answer consists of sentences of the pages; ``offer`` then still offers
    the tool to agents.
    """

    provider: Name | None = None
    model: Name | None = None
    check: Literal["words", "model", "rerank"] = "words"
    seconds: Seconds = 120.0
    offer: bool = False


class XSearchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How X is searched. None leaves the choice to the tool; a ``route`` names models in turn.

    ``price`` is the maximum cost of one search in dollars; a budget requires it.
    """

    model: Name | None = None
    route: tuple[Name, ...] = ()
    reasoning_effort: Literal["low", "medium", "high", "xhigh"] | None = None
    timeout_seconds: Seconds = 180.0
    retries: Annotated[int, Meta(ge=0, le=10)] = 2
    price: Dollars | None = None


class PlannerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a late answer makes the planner ask the next backend of a route, and how often.

    Without ``hedge_after`` seconds, an answer is late if it takes longer than nearly all earlier
    ones of this backend. ``hedge_share`` is the share of calls that may be sent twice.
    """

    hedge_after: Seconds | None = None
    hedge_share: Annotated[float, Meta(ge=0, le=1)] = 0.05


class McpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the tools are served over MCP. ``result_limit`` is in tokens; the rest is for HTTP.

    ``hosts`` are names of this server, ``origins`` those of pages that may call it, ``token`` is
    the secret of its owner. With an ``issuer``, callers send tokens of that OAuth server, issued
    for ``resource``, the address of this server, with ``scopes``. ``jwks`` is the file or URL of
    the keys that sign them.
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


class OtelSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where OpenTelemetry exports to: ``auto`` follows its standard variables."""

    export: Literal["auto", "none", "console", "otlp"] = "auto"


class RecorderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The recorder that ``webseam record`` runs a command with; a file switches it on."""

    file: str | None = None
    mode: Literal["record", "replay", "frozen", "auto"] = "auto"
    as_of: date | None = None


class PluginSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that run, another folder to search, and the time limit of a callback."""

    enabled: tuple[Name, ...] = ()
    disabled: tuple[Name, ...] = ()
    folder: str | None = None
    timeout: Seconds = 60.0
    otel: OtelSettings = OtelSettings()
    recorder: RecorderSettings = RecorderSettings()


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the gateway listens, who may call it, and how many calls run at once.

    On a loopback address it needs no key, unless ``token`` or ``require_key`` is set. ``hosts`` are
    the names of the server, ``origins`` the pages that may call it, ``proxies`` the addresses of
    trusted proxies, ``prefix`` the path below which a proxy offers it. A shutdown waits ``drain``
    seconds for open calls. ``workers`` processes share the port.
    """

    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8787
    token: Secret = msgspec.field(default_factory=_no_secret)
    require_key: bool = False
    hosts: tuple[Name, ...] = ()
    origins: tuple[Name, ...] = ()
    proxies: tuple[Name, ...] = ()
    prefix: Annotated[str, Meta(pattern=r"^(?:/[A-Za-z0-9._~-]+)*\Z")] = ""
    certificate: str | None = None
    certificate_key: str | None = None
    body_kilobytes: Annotated[int, Meta(ge=1, le=65_536)] = 1024
    timeout: Seconds = 50.0
    drain: Seconds = 20.0
    at_once: Annotated[int, Meta(ge=1, le=10_000)] = 64
    waiting: Annotated[int, Meta(ge=1, le=100_000)] = 512
    workers: Annotated[int, Meta(ge=1, le=64)] = 1


class StoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of stores that several machines share; they may hold passwords.

    ``postgres`` stores the gateway's keys and the ledger, ``valkey`` the answers. A ``local``
    ``ledger`` stays in a file of this machine.
    """

    postgres: Secret = msgspec.field(default_factory=_no_secret)
    valkey: Secret = msgspec.field(default_factory=_no_secret)
    ledger: Literal["shared", "local"] = "shared"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, checked.

    ``entries`` and ``variables`` hold the raw values, which services and providers read
    themselves. ``folder`` reports the ignored settings of the working folder. The repr shows no
    key.
    """

    # Grows when a name changes its meaning; a file with a higher number is for a newer webseam.
    settings_version: Annotated[int, Meta(ge=1, le=1)] = 1
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
    extract_walled: bool = False
    timeout: Seconds = 30.0
    deadline: Seconds = 300.0
    cache: CacheSettings = CacheSettings()
    policy: PolicySettings = PolicySettings()
    render: RenderSettings = RenderSettings()
    pages: PagesSettings = PagesSettings()
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

    @property
    def explicit_timeout(self) -> float | None:
        """The ``timeout`` that is set; None where each part keeps its own limit."""
        return None if self.entries.get(("timeout",)) is None else self.timeout

    def __repr__(self) -> str:
        shared = (self.stores.postgres, self.stores.valkey)
        secrets = (self.custom_api_key, self.proxy, self.serve.token, *shared)
        return redact(super().__repr__(), [secret.reveal() for secret in secrets])
