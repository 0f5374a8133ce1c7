"""What a plugin's ``register`` is given: the part of Hermes's ``ctx`` that means something here.

What we do not have is refused without harm, and the refusal is remembered.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.text.display import one_line
from ...ports.middleware import Callback, Hook, Middleware, OnError

Source: TypeAlias = Literal["shipped", "entry point", "hermes entry point", "folder"]
MAX_MANIFEST_BYTES = 256 * 1024
MANIFESTS = ("plugin.yaml", "plugin.yml")


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A plugin's card. ``key`` is the name that it is enabled by, ``path`` where its code is."""

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


def read_manifest(file: Path, key: str | None = None) -> Result[Manifest, str]:
    """Return the manifest in ``file``, or why it cannot be read. Without a key, its name is one."""
    import yaml  # noqa: PLC0415  only who has such plugins pays for it

    try:
        written = yaml.safe_load(file.read_bytes()[:MAX_MANIFEST_BYTES])
    except (OSError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        return Failure(f"its {file.name} cannot be read: {type(error).__name__}")
    fields = written or {}
    if not isinstance(fields, dict):
        return Failure(f"its {file.name} does not hold fields such as name:")
    name = _line(fields.get("name")) or file.parent.name
    return Success(
        Manifest(
            name=name,
            key=key or name,
            source="folder",
            path=str(file.parent),
            version=_line(fields.get("version")),
            description=_line(fields.get("description")),
            author=_line(fields.get("author")),
            kind=_line(fields.get("kind")) or "standalone",
            requires_env=_names(fields.get("requires_env")),
            provides_tools=_names(fields.get("provides_tools")),
            provides_hooks=_names(fields.get("provides_hooks") or fields.get("hooks")),
            pip_dependencies=_names(fields.get("pip_dependencies")),
        )
    )


def _line(value: object) -> str:
    return one_line(str(value)) if isinstance(value, str | int | float) else ""


def _names(value: object) -> tuple[str, ...]:
    """Return the names in a list of names, or of mappings that have one."""
    listed = value if isinstance(value, list) else []
    named = [each.get("name") if isinstance(each, dict) else each for each in listed]
    return tuple(_line(each) for each in named if _line(each))


# What a plugin's ``register`` is given: the part of Hermes's ``ctx`` that means something here.

KINDS = ("llm_request", "llm_execution", "tool_request", "tool_execution")
HOOKS = (
    "pre_tool_call",
    "post_tool_call",
    "transform_tool_result",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "pre_approval_request",
    "post_approval_response",
)
_WAYS = ("open", "closed")


class PluginContext:
    """A plugin's hand on webseam.

    ``settings`` are those that the user gave this plugin; ``folder`` is where it may keep files.
    """

    profile_name = "default"

    def __init__(self, manifest: Manifest, settings: Mapping[str, object], folder: Path) -> None:
        """Listen to the plugin that ``manifest`` is the card of."""
        self.folder = folder
        self.manifest = manifest
        self.settings = dict(settings)
        self.middleware: list[Middleware] = []
        self.hooks: list[Hook] = []
        self.refusals: list[str] = []

    @property
    def plugin_id(self) -> str:
        """The name that the plugin is enabled by."""
        return self.manifest.key

    @property
    def config(self) -> dict[str, object]:
        """The settings, under the name that many plugins look for."""
        return self.settings

    def get_config(self, key: str, default: object = None) -> object:
        """Return one of the settings; dots in ``key`` lead into blocks."""
        found: object = self.settings
        for name in key.split("."):
            if not isinstance(found, Mapping) or name not in found:
                return default
            found = found[name]
        return found

    def set_config(self, key: str, value: object) -> NoReturn:
        """Refuse: what a plugin is set to is its user's to say."""
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
        """Have ``callback`` change calls. ``on_error="closed"`` fails the call when it fails.

        Only with ``retries=True`` may it call its ``next_call`` more than once. ``failure_mode`` is
        Hermes's word for ``on_error``.
        """
        on_error = failure_mode or on_error
        _check(callback, on_error)
        if kind not in KINDS:
            self._refuse(f"middleware {kind!r}: there are {', '.join(KINDS)}")
        self.middleware.append(
            Middleware(
                kind=kind,
                callback=callback,
                plugin=self.manifest.key,
                on_error=on_error,
                retries=retries,
            )
        )

    def register_hook(
        self, hook_name: str, callback: Callback, *, on_error: OnError = "open"
    ) -> None:
        """Have ``callback`` told when ``hook_name`` happens."""
        _check(callback, on_error)
        if hook_name not in HOOKS:
            self._refuse(f"hook {hook_name!r}: nothing of the kind happens here")
        plugin = self.manifest.key
        self.hooks.append(Hook(name=hook_name, callback=callback, plugin=plugin, on_error=on_error))

    @property
    def llm(self) -> "NoModel":
        """Hermes's model for plugins. There is none here; using it says so."""
        self._refuse("llm: plugins have no model of their own here")
        return NoModel()

    def on_unload(self, callback: Callable[[], object]) -> None:
        """Have ``callback`` called when the session is over."""
        _check(callback, "open")
        self.register_hook("on_session_finalize", lambda **_: callback())

    def has_capability(self, capability: str) -> bool:
        """Say no: nothing is granted to plugins here but to watch and change calls."""
        self._refuse(f"has_capability({capability!r}): no plugin has any here")
        return False

    def inject_message(self, content: str, role: str = "user", **_: object) -> bool:
        """Say that nothing was injected: there is no conversation here."""
        size = f"{len(content)} characters of {role}"
        self._refuse(f"inject_message: there is no conversation to put {size} into")
        return False

    def dispatch_tool(self, tool_name: str, args: object = None, **_: object) -> str:
        """Say, as a tool would, that a plugin cannot call tools here."""
        self._refuse(f"dispatch_tool({tool_name!r}): plugins do not call tools here")
        arguments = "with arguments" if args else "without arguments"
        error = f"Plugins do not call tools in webseam: {tool_name}, {arguments}."
        return msgspec.json.encode({"success": False, "error": error}).decode()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Return, for anything else that can be registered, a function that refuses it."""
        if not name.startswith("register_"):
            message = f"webseam's plugin context has no {name!r}"
            raise AttributeError(message)
        return lambda *_, **__: self._refuse(f"{name}: webseam has no such thing")

    def _refuse(self, what: str) -> None:
        if what not in self.refusals:
            self.refusals.append(what)


class NoModel:
    """Stands where Hermes has a model; whatever is asked of it is an error that says so."""

    def __getattr__(self, name: str) -> object:
        message = f"ctx.llm.{name}: webseam gives plugins no model"
        raise RuntimeError(message)


def _check(callback: object, on_error: object) -> None:
    if not callable(callback):
        message = f"a callback must be callable, got {type(callback).__name__}"
        raise TypeError(message)
    if on_error not in _WAYS:
        message = f"on_error must be open or closed, got {on_error!r}"
        raise ValueError(message)
