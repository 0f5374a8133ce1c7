"""What a plugin says about itself, in ``plugin.yaml`` or in its package's metadata."""

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.text.display import one_line

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
