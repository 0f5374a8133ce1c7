"""The context for a plugin's ``register``: the useful part of Hermes's ``ctx``.

Unsupported registrations are refused without an error, and each refusal is recorded.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.text.display import one_line
from webseam.ports.middleware import Callback, Hook, Middleware, OnError, Payer

Source: TypeAlias = Literal["shipped", "entry point", "hermes entry point", "folder"]
MAX_MANIFEST_BYTES = 256 * 1024
MANIFEST_NAMES = ("plugin.yaml", "plugin.yml")
MIDDLEWARE_KINDS = ("llm_request", "llm_execution", "tool_request", "tool_execution")
HOOKS = (
    "pre_tool_call", "post_tool_call", "transform_tool_result", "pre_api_request",
    "post_api_request", "api_request_error", "on_session_start", "on_session_end",
    "on_session_finalize", "pre_approval_request", "post_approval_response",
)  # fmt: skip
_MAX_UNIT_DOLLARS = 1_000_000


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin's description; ``key`` is the name that enables it, ``path`` its code."""

    name: str
    key: str
    source: Source
    path: str
    version: str = ""
    description: str = ""
    author: str = ""
    kind: str = "standalone"
    requires_env: tuple[str, ...] = ()
    provides_tools: tuple[str, ...] = ()
    provides_hooks: tuple[str, ...] = ()
    pip_dependencies: tuple[str, ...] = ()


def read_plugin_manifest(file: Path, key: str | None = None) -> Result[Manifest, str]:
    """Return the manifest in ``file``, or why it is unreadable; its name is the default key."""
    import yaml  # noqa: PLC0415  only for plugins in a folder

    try:
        written = yaml.safe_load(file.read_bytes()[:MAX_MANIFEST_BYTES])
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        return Failure(f"its {file.name} cannot be read: {type(error).__name__}")
    fields = written or {}
    if not isinstance(fields, dict):
        return Failure(f"its {file.name} does not hold fields such as name:")
    texts = ("name", "version", "description", "author", "kind")
    lines = {field: _manifest_line(fields.get(field)) for field in texts}
    hooks = fields.get("provides_hooks") or fields.get("hooks")
    lines |= {"name": lines["name"] or file.parent.name, "kind": lines["kind"] or "standalone"}
    return Success(
        Manifest(
            **lines,
            key=key or lines["name"],
            source="folder",
            path=str(file.parent),
            requires_env=_manifest_names(fields.get("requires_env")),
            provides_tools=_manifest_names(fields.get("provides_tools")),
            provides_hooks=_manifest_names(hooks),
            pip_dependencies=_manifest_names(fields.get("pip_dependencies")),
        )
    )


def _manifest_line(value: object) -> str:
    return one_line(str(value)) if isinstance(value, str | int | float) else ""


def _manifest_names(value: object) -> tuple[str, ...]:
    """Return the names in a list of names or of mappings with a name."""
    items = value if isinstance(value, list) else []
    names = [item.get("name") if isinstance(item, dict) else item for item in items]
    return tuple(_manifest_line(item) for item in names if _manifest_line(item))


class PluginContext:
    """A plugin's access to webseam.

    ``settings`` are the user's settings for this plugin; ``folder`` is where it may store files.
    """

    profile_name = "default"

    def __init__(self, manifest: Manifest, settings: Mapping[str, object], folder: Path) -> None:
        self.folder, self.manifest = folder, manifest
        self.settings = dict(settings)
        self.middleware: list[Middleware] = []
        self.hooks: list[Hook] = []
        self.payers: list[Payer] = []
        self.refusals: list[str] = []

    @property
    def plugin_id(self) -> str:
        """The name that enables the plugin."""
        return self.manifest.key

    @property
    def config(self) -> dict[str, object]:
        """The settings, under the name that many plugins expect."""
        return self.settings

    def get_config(self, key: str, default: object = None) -> object:
        """Return a setting; dots in ``key`` lead into blocks."""
        value: object = self.settings
        for name in key.split("."):
            if not isinstance(value, Mapping) or name not in value:
                return default
            value = value[name]
        return value

    def set_config(self, key: str, value: object) -> NoReturn:
        """Refuse: only the user changes a plugin's settings."""
        command = f"webseam plugins enable {self.plugin_id} --set {key}={value!r}"
        message = f"plugins do not change their settings in webseam; its user may run: {command}"
        raise PermissionError(message)

    def register_middleware(
        self,
        kind: str,
        callback: Callback,
        *,
        on_error: OnError = "open",
        retries: bool = False,
        failure_mode: OnError | None = None,
    ) -> None:
        """Have ``callback`` change calls; ``on_error="closed"`` fails the call when it fails.

        Only with ``retries=True`` may it call its ``next_call`` more than once. ``failure_mode`` is
        Hermes's name for ``on_error``.
        """
        on_error = failure_mode or on_error
        _check_callback(callback, on_error)
        if kind not in MIDDLEWARE_KINDS:
            self._record_refusal(f"middleware {kind!r}: there are {', '.join(MIDDLEWARE_KINDS)}")
        plugin = self.manifest.key
        self.middleware.append(
            Middleware(
                kind=kind, callback=callback, plugin=plugin, on_error=on_error, retries=retries
            )
        )

    def register_hook(
        self, hook_name: str, callback: Callback, *, on_error: OnError = "open"
    ) -> None:
        """Call ``callback`` when the event ``hook_name`` happens."""
        _check_callback(callback, on_error)
        if hook_name not in HOOKS:
            self._record_refusal(f"hook {hook_name!r}: webseam has no such event")
        plugin = self.manifest.key
        self.hooks.append(Hook(name=hook_name, callback=callback, plugin=plugin, on_error=on_error))

    def register_payer(
        self, callback: Callback, *, dollars: Mapping[str, float | str] | None = None
    ) -> None:
        """Have ``callback`` pay for pages that ask for money (402), within a budget.

        ``dollars`` has the value of one unit of each currency that it pays in: a code, or a token's
        network and address as ``eip155:8453/0x83...``. Without it, the callback pays in USD.
        """
        _check_callback(callback, "closed")
        units = {"USD": 1} if dollars is None else dollars
        values = {name.lower(): Decimal(str(value)) for name, value in units.items()}
        if not all(0 < value <= _MAX_UNIT_DOLLARS for value in values.values()):
            message = f"dollars must be above 0, and at most {_MAX_UNIT_DOLLARS} for a unit"
            raise ValueError(message)
        self.payers.append(Payer(callback=callback, plugin=self.manifest.key, dollars=values))

    @property
    def llm(self) -> "NoModel":
        """Hermes's model for plugins; every use here raises an error that says so."""
        self._record_refusal("llm: plugins have no model of their own here")
        return NoModel()

    def on_unload(self, callback: Callable[[], object]) -> None:
        """Call ``callback`` at the end of the session."""
        _check_callback(callback, "open")
        self.register_hook("on_session_finalize", lambda **_: callback())

    def has_capability(self, capability: str) -> bool:
        """Return False: plugins may only watch and change calls here."""
        self._record_refusal(f"has_capability({capability!r}): no plugin has any here")
        return False

    def inject_message(self, content: str, role: str = "user", **_: object) -> bool:
        """Return False: there is no conversation here."""
        size = f"{len(content)} characters of {role}"
        self._record_refusal(f"inject_message: there is no conversation to put {size} into")
        return False

    def dispatch_tool(self, tool_name: str, args: object = None, **_: object) -> str:
        """Return a tool error: plugins cannot call tools here."""
        self._record_refusal(f"dispatch_tool({tool_name!r}): plugins do not call tools here")
        arguments = "with arguments" if args else "without arguments"
        error = f"Plugins do not call tools in webseam: {tool_name}, {arguments}."
        return msgspec.json.encode({"success": False, "error": error}).decode()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return a function that refuses, for any other ``register_`` method."""
        if not name.startswith("register_"):
            message = f"webseam's plugin context has no {name!r}"
            raise AttributeError(message)
        return lambda *_, **__: self._record_refusal(f"{name}: webseam does not support it")

    def _record_refusal(self, refusal: str) -> None:
        if refusal not in self.refusals:
            self.refusals.append(refusal)


class NoModel:
    """Replaces Hermes's model; every use raises an error that says so."""

    def __getattr__(self, name: str) -> object:
        message = f"ctx.llm.{name}: webseam gives plugins no model"
        raise RuntimeError(message)


def _check_callback(callback: object, on_error: object) -> None:
    if not callable(callback):
        message = f"a callback must be callable, got {type(callback).__name__}"
        raise TypeError(message)
    if on_error not in ("open", "closed"):
        message = f"on_error must be open or closed, got {on_error!r}"
        raise ValueError(message)
