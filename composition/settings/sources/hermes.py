"""A configuration file of Hermes, as it is: its ``web`` and ``x_search`` blocks are ours to read.

A block ``webseam`` in it holds settings of ours. One that has its place in a file of ours, such as
``policy``, also counts in the block ``web`` or beside it: to pass it over in silence would be worse
than to read it there. Whatever else stands in the file is its own affair.
"""

from collections.abc import Iterator
from difflib import get_close_matches

from returns.result import Failure, Result

from ....ports.errors import InvalidSetting
from ..entries import Entry, KeyPath
from ..setting_keys import BLOCKS, known_keys
from ..yaml.nodes import BlockNode, Node, ScalarNode
from .flattening import Flattener, is_blank

OWN_BLOCK = "webseam"

# Names at the top of its file that no file of ours has.
_MARKS = frozenset({
    "_config_version", "agent", "approvals", "auxiliary", "browser", "checkpoints",
    "code_execution", "command_allowlist", "compression", "cron", "custom_providers", "delegation",
    "display", "fallback_model", "fallback_providers", "gateway", "mcp_servers", "memory", "model",
    "platform_toolsets", "security", "skills", "stt", "terminal", "toolsets", "tts", "voice",
})  # fmt: skip

_WEB: dict[str, KeyPath] = {
    "backend": ("backend",),
    "search_backend": ("search_backend",),
    "extract_backend": ("extract_backend",),
    "extract_char_limit": ("extract_char_limit",),
    "extract_timeout": ("timeout",),
    "cache_enabled": ("cache", "enabled"),
    "cache_ttl_minutes": ("cache", "minutes"),
    "keyless_fallback": ("keyless",),
    "custom_base_url": ("custom_base_url",),
    "custom_model": ("custom_model",),
    "custom_api_key": ("custom_api_key",),
}
_X_SEARCH: dict[str, KeyPath] = {
    name: ("x_search", name) for name in ("model", "reasoning_effort", "timeout_seconds", "retries")
}


def is_hermes(block: BlockNode) -> bool:
    """Tell whose file it is: ``web`` stands only in theirs; else by what else is there."""
    names = {key.text for key, _ in block.items}
    if "web" in names:
        return True
    return bool(names & _MARKS) and not names & _own_names()


def take_hermes(block: BlockNode, file: str) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return the settings in their file, by our paths; of a name that is there twice, the last."""
    wrong = next(_no_blocks(block, file), None)
    if wrong is not None:
        return Failure(wrong)
    flattener = Flattener(file)
    mapped = {
        path: flattener.entry(node)
        for name, table in (("web", _WEB), ("x_search", _X_SEARCH))
        for path, node in _mapped(block, name, table)
    }
    web = _inside(block, "web")
    for own in (_ours(web, _own_names() - set(_WEB)), _ours(block, _own_names())):
        flat = Flattener(file).take(own)
        if isinstance(flat, Failure):
            return flat
        mapped |= flat.unwrap()
    return Flattener(file).take(_inside(block, OWN_BLOCK)).map(lambda more: {**mapped, **more})


def doubtful_name_warnings(block: BlockNode, file: str) -> tuple[str, ...]:
    """Warn of names in the block ``web`` that are nearly, but not quite, those of settings."""
    known = (*_WEB, *_own_names())
    doubts = (
        (key, get_close_matches(key.text, known, 1, 0.85))
        for key, _ in _inside(block, "web").items
        if key.text not in known
    )
    return tuple(
        f"{file}:{key.line}: web.{key.text} is not a setting that is read; {matches[0]} is"
        for key, matches in doubts
        if matches
    )


def _own_names() -> frozenset[str]:
    """Return what stands at the top of files of ours, and never at the top of theirs."""
    both = {"x_search", "plugins", "providers"}
    return frozenset({path[0] for path in known_keys()} | set(BLOCKS)) - both


def _ours(block: BlockNode, names: frozenset[str]) -> BlockNode:
    return BlockNode(
        line=block.line, items=tuple(one for one in block.items if one[0].text in names)
    )


def _no_blocks(block: BlockNode, file: str) -> Iterator[InvalidSetting]:
    for key, node in block.items:
        is_read = key.text in ("web", "x_search", OWN_BLOCK)
        if is_read and not isinstance(node, BlockNode) and not is_blank(node):
            reason = "must be a block of settings"
            yield InvalidSetting(setting=key.text, place=f"{file}:{key.line}", reason=reason)


def _mapped(
    block: BlockNode, name: str, table: dict[str, KeyPath]
) -> Iterator[tuple[KeyPath, Node]]:
    for key, node in _inside(block, name).items:
        is_written = key.text in table and not is_blank(node)
        if is_written and not _is_off(key.text, node) and not _is_us(key.text, node):
            yield table[key.text], node


def _inside(block: BlockNode, name: str) -> BlockNode:
    nodes = [node for key, node in block.items if key.text == name]
    inside = nodes[-1] if nodes else None
    return inside if isinstance(inside, BlockNode) else BlockNode(line=block.line, items=())


def _is_us(name: str, node: Node) -> bool:
    """Tell whether it is us whom Hermes asks, which says nothing about whom we ask."""
    if not name.endswith("backend") or not isinstance(node, ScalarNode):
        return False
    return node.text.strip().lower() == OWN_BLOCK


def _is_off(name: str, node: Node) -> bool:
    """Tell whether a limit is switched off there, which leaves ours as it is."""
    if name not in ("extract_timeout", "cache_ttl_minutes") or not isinstance(node, ScalarNode):
        return False
    return isinstance(node.value, (int, float)) and node.value <= 0
