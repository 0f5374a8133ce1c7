"""Every setting of the core: its name, its type and its default. Building one checks nothing.

A block that only a feature reads is declared beside the feature, and its record names it.
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from webseam.adapters.pages.settings import BrowserSettings, PagePreference, Rendering
from webseam.kernel.planner.money import Budgets
from webseam.kernel.planner.routes import RouteStep
from webseam.kernel.policy.policy_rules import PolicySettings
from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import redact
from webseam.ports.secrets import Secret

from .entries import Entries, Variables

Block = TypeVar("Block", bound=msgspec.Struct)
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


def no_secret() -> Secret:
    """Return the default of a secret."""
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


class VisionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The model that describes pictures. A ``route`` names several."""

    provider: Name | None = None
    model: Name | None = None
    route: tuple[Name, ...] = ()


class PlannerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a late answer makes the planner ask the next backend of a route, and how often.

    Without ``hedge_after`` seconds, an answer is late if it takes longer than nearly all earlier
    ones of this backend. ``hedge_share`` is the share of calls that may be sent twice.
    """

    hedge_after: Seconds | None = None
    hedge_share: Annotated[float, Meta(ge=0, le=1)] = 0.05


class McpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the tools are served over MCP.

    ``result_limit`` is in tokens; ``result_form`` is what a result has: the text, the same as data,
    or both. The rest is for HTTP.

    ``hosts`` are names of this server, ``origins`` those of pages that may call it, ``token`` is
    the secret of its owner. With an ``issuer``, callers send tokens of that OAuth server, issued
    for ``resource``, the address of this server, with ``scopes``. ``jwks`` is the file or URL of
    the keys that sign them.
    """

    result_limit: Annotated[int, Meta(ge=2000, le=1_000_000)] = 20_000
    result_form: Literal["both", "text", "data"] = "both"
    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8808
    hosts: tuple[Name, ...] = ()
    origins: tuple[str, ...] = ()
    token: Secret = msgspec.field(default_factory=no_secret)
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


class StoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses of stores that several machines share; they may hold passwords.

    ``postgres`` stores the gateway's keys and the ledger, ``valkey`` the answers. A ``local``
    ``ledger`` stays in a file of this machine.
    """

    postgres: Secret = msgspec.field(default_factory=no_secret)
    valkey: Secret = msgspec.field(default_factory=no_secret)
    ledger: Literal["shared", "local"] = "shared"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All settings, checked.

    ``entries`` and ``variables`` hold the raw values, which services and providers read
    themselves. ``feature_blocks`` are the blocks of features that some source names; ``of`` reads
    them. ``folder`` reports the ignored settings of the working folder. The repr shows no key.
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
    custom_api_key: Secret = msgspec.field(default_factory=no_secret)
    custom_allow_plain_http: bool = False
    proxy: Secret = msgspec.field(default_factory=no_secret)
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
    vision: VisionSettings = VisionSettings()
    planner: PlannerSettings = PlannerSettings()
    budgets: Budgets = Budgets()
    mcp: McpSettings = McpSettings()
    plugins: PluginSettings = PluginSettings()
    stores: StoreSettings = msgspec.field(default_factory=StoreSettings)
    feature_blocks: tuple[msgspec.Struct, ...] = ()
    entries: Entries = msgspec.field(default_factory=Entries)
    variables: Variables = msgspec.field(default_factory=Variables)
    file: str = ""
    warnings: tuple[str, ...] = ()
    folder: FolderReport = FolderReport()

    @property
    def explicit_timeout(self) -> float | None:
        """The ``timeout`` that is set; None where each part keeps its own limit."""
        return None if self.entries.get(("timeout",)) is None else self.timeout

    def of(self, kind: type[Block]) -> Block:
        """Return the block of a feature; it has its defaults where no source names it."""
        for block in self.feature_blocks:
            if isinstance(block, kind):
                return block
        return kind()

    def __repr__(self) -> str:
        secrets = [secret for block in (self, *self.feature_blocks) for secret in _secrets(block)]
        return redact(super().__repr__(), secrets)


def _secrets(block: msgspec.Struct) -> Iterator[str]:
    """Yield every secret of a block and of the blocks in it."""
    for name in block.__struct_fields__:
        value = getattr(block, name)
        if isinstance(value, Secret):
            yield value.reveal()
        elif isinstance(value, msgspec.Struct):
            yield from _secrets(value)
