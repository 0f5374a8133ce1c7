"""Read Hermes configuration files: their ``web`` and ``x_search`` blocks.

A block ``webseam`` holds our settings. A setting with a fixed name in our own file, such as
``policy``, also counts inside ``web`` or at the top: ignoring it silently would be worse. The rest
of the file is not read.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import TypeAlias

from returns.result import Failure, Result, Success

from webseam.kernel.policy.trust import Origin
from webseam.kernel.text.display import quote_value
from webseam.ports.errors import InvalidSetting

from . import checks
from .entries import Entry, KeyPath, setting_path_text
from .yaml_nodes import BlockNode, ListNode, Node, ScalarNode

MAX_VALUES = 10_000
FlatValues: TypeAlias = tuple[KeyPath, Entry] | InvalidSetting
OWN_BLOCK = "webseam"
# Top-level names that only Hermes files have.
_HERMES_NAMES = frozenset({
    "_config_version", "agent", "approvals", "auxiliary", "browser", "checkpoints",
    "code_execution", "command_allowlist", "compression", "cron", "custom_providers", "delegation",
    "display", "fallback_model", "fallback_providers", "gateway", "mcp_servers", "memory", "model",
    "platform_toolsets", "security", "skills", "stt", "terminal", "toolsets", "tts", "voice",
})  # fmt: skip
_WEB_PATHS: dict[str, KeyPath] = {
    "backend": ("backend",), "search_backend": ("search_backend",),
    "extract_backend": ("extract_backend",), "extract_char_limit": ("extract_char_limit",),
    "extract_timeout": ("timeout",), "cache_enabled": ("cache", "enabled"),
    "cache_ttl_minutes": ("cache", "minutes"), "keyless_fallback": ("keyless",),
    "custom_base_url": ("custom_base_url",), "custom_model": ("custom_model",),
    "custom_api_key": ("custom_api_key",),
}  # fmt: skip


class Flattener:
    """Flattens the blocks of one file; null and blank values are absent."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._counted = 0

    def flatten(self, block: BlockNode) -> Result[dict[KeyPath, Entry], InvalidSetting]:
        """Return the values of ``block`` by path, or the first error."""
        entries: dict[KeyPath, Entry] = {}
        for item in self._walk_block(block, ()):
            if isinstance(item, InvalidSetting):
                return Failure(item)
            path, entry = item
            entries[checks.canonical_setting_path(path)] = entry
        return Success(entries)

    def make_entry(self, node: Node) -> Entry:
        """Return the entry of a node, with its origin."""
        origin = Origin(layer="file", name=self._file, line=node.line)
        if isinstance(node, ScalarNode):
            return Entry(value=node.value, origin=origin, texts=(node.text,))
        items = node.items if isinstance(node, ListNode) else ()
        scalars = [item for item in items if isinstance(item, ScalarNode)]
        texts = tuple(scalar.text for scalar in scalars if not is_blank_yaml_node(scalar))
        return Entry(value=self._plain_value(node), origin=origin, texts=texts)

    def _walk_block(self, block: BlockNode, above: KeyPath) -> Iterator[FlatValues]:
        names: set[str] = set()
        for key, node in block.items:
            path = (*above, key.text)
            if key.text in names:
                yield self._flatten_error(path, key.line, "is given twice")
            names.add(key.text)
            self._counted += 1
            if isinstance(node, BlockNode):
                yield from self._flatten_block(node, path, key.line)
            elif not is_blank_yaml_node(node):
                yield self._flatten_value(node, path)
            if self._counted > MAX_VALUES:
                reason = f"the file holds more than {MAX_VALUES} values"
                yield self._flatten_error(path, key.line, reason)

    def _flatten_block(
        self, block: BlockNode, path: KeyPath, line: int | None
    ) -> Iterator[FlatValues]:
        if path[0] in checks.OPEN_BLOCKS or checks.is_settings_block(path):
            yield from self._walk_block(block, path)
        elif checks.find_setting(checks.canonical_setting_path(path)) is not None:
            yield self._flatten_error(path, line, "must be a value, not a block")
        else:
            yield self._flatten_error(path, line, checks.unknown_setting_reason(path))

    def _flatten_value(self, node: Node, path: KeyPath) -> FlatValues:
        is_open = path[0] in checks.OPEN_BLOCKS
        is_setting = checks.find_setting(checks.canonical_setting_path(path)) is not None
        if is_setting or (is_open and len(path) >= checks.OPEN_DEPTH):
            return path, self.make_entry(node)
        if is_open or checks.is_settings_block(path):
            return self._flatten_error(path, node.line, "must be a block of settings")
        return self._flatten_error(path, node.line, checks.unknown_setting_reason(path))

    def _plain_value(self, node: Node) -> object:
        self._counted += 1
        if isinstance(node, ScalarNode) or self._counted > MAX_VALUES:
            return node.value if isinstance(node, ScalarNode) else None
        if isinstance(node, ListNode):
            return [self._plain_value(item) for item in node.items]
        return {key.text: self._plain_value(item) for key, item in node.items}

    def _flatten_error(self, path: KeyPath, line: int | None, reason: str) -> InvalidSetting:
        name = setting_path_text(path)
        safe = name if name.isascii() and name.isprintable() else quote_value(name)
        return InvalidSetting(setting=safe[:200], place=f"{self._file}:{line}", reason=reason)


def is_blank_yaml_node(node: Node) -> bool:
    """Return whether a node is null or blank."""
    return isinstance(node, ScalarNode) and (node.value is None or not node.text.strip())


_X_SEARCH_PATHS: dict[str, KeyPath] = {
    name: ("x_search", name) for name in ("model", "reasoning_effort", "timeout_seconds", "retries")
}


def is_hermes_config(block: BlockNode) -> bool:
    """Return whether it is a Hermes file: it has ``web``, or only names of Hermes."""
    names = {key.text for key, _ in block.items}
    return "web" in names or (bool(names & _HERMES_NAMES) and not names & _webseam_names())


def read_hermes_settings(
    block: BlockNode, file: str
) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return the settings of a Hermes file by our paths; the last duplicate counts."""
    if (error := next(_hermes_errors(block, file), None)) is not None:
        return Failure(error)
    flattener = Flattener(file)
    mapped = {
        path: flattener.make_entry(node)
        for name, table in (("web", _WEB_PATHS), ("x_search", _X_SEARCH_PATHS))
        for path, node in _map_hermes_settings(block, name, table)
    }
    web = _hermes_block(block, "web")
    names = _webseam_names()
    for own_block in (
        _pick_hermes_settings(web, names - set(_WEB_PATHS)),
        _pick_hermes_settings(block, names),
    ):
        if isinstance(values := Flattener(file).flatten(own_block), Failure):
            return values
        mapped |= values.unwrap()
    own_values = Flattener(file).flatten(_hermes_block(block, OWN_BLOCK))
    return own_values.map(lambda more: {**mapped, **more})


def hermes_web_variables(web: Mapping[str, object]) -> dict[str, str]:
    """Return Hermes's ``web`` block as variables, for webseam inside Hermes.

    The last variable of a setting is its weakest. The backends there are Hermes's own choice.
    """
    nodes = {name: ScalarNode(line=None, text=str(web[name]), value=web[name]) for name in web}
    return {
        checks.keys_of(path[:1])[path].variables[-1]: nodes[name].text
        for name, path in _WEB_PATHS.items()
        if name in nodes
        and not name.endswith("backend")
        and not is_blank_yaml_node(nodes[name])
        and not _is_disabled_hermes_limit(name, nodes[name])
    }


def hermes_setting_warnings(block: BlockNode, file: str) -> tuple[str, ...]:
    """Return warnings about names in ``web`` that are nearly settings."""
    names = (*_WEB_PATHS, *_webseam_names())
    candidates = (
        (key, get_close_matches(key.text, names, 1, 0.85))
        for key, _ in _hermes_block(block, "web").items
        if key.text not in names
    )
    return tuple(
        f"{file}:{key.line}: web.{key.text} is not a setting that is read; {matches[0]} is"
        for key, matches in candidates
        if matches
    )


def _webseam_names() -> frozenset[str]:
    both = {"x_search", "plugins", "providers"}
    return frozenset({*checks.setting_names(), *checks.OPEN_BLOCKS} - both)


def _pick_hermes_settings(block: BlockNode, names: frozenset[str]) -> BlockNode:
    items = tuple(item for item in block.items if item[0].text in names)
    return BlockNode(line=block.line, items=items)


def _hermes_errors(block: BlockNode, file: str) -> Iterator[InvalidSetting]:
    for key, node in block.items:
        is_read = key.text in ("web", "x_search", OWN_BLOCK)
        if is_read and not isinstance(node, BlockNode) and not is_blank_yaml_node(node):
            reason = "must be a block of settings"
            yield InvalidSetting(setting=key.text, place=f"{file}:{key.line}", reason=reason)


def _map_hermes_settings(
    block: BlockNode, name: str, table: dict[str, KeyPath]
) -> Iterator[tuple[KeyPath, Node]]:
    for key, node in _hermes_block(block, name).items:
        is_written = key.text in table and not is_blank_yaml_node(node)
        is_skipped = _is_disabled_hermes_limit(key.text, node) or _is_webseam_choice(key.text, node)
        if is_written and not is_skipped:
            yield table[key.text], node


def _hermes_block(block: BlockNode, name: str) -> BlockNode:
    nodes = [node for key, node in block.items if key.text == name]
    last = nodes[-1] if nodes else None
    return last if isinstance(last, BlockNode) else BlockNode(line=block.line, items=())


def _is_webseam_choice(name: str, node: Node) -> bool:
    """Return whether Hermes chose webseam as its backend; that sets none of our backends."""
    if not name.endswith("backend") or not isinstance(node, ScalarNode):
        return False
    return node.text.strip().lower() == OWN_BLOCK


def _is_disabled_hermes_limit(name: str, node: Node) -> bool:
    """Return whether Hermes switched a limit off; our limit then stays."""
    if name not in ("extract_timeout", "cache_ttl_minutes") or not isinstance(node, ScalarNode):
        return False
    return isinstance(node.value, (int, float)) and node.value <= 0
